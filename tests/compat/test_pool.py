"""`MemoryPool`: blocks within a quota."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import _pygpukit_rust as rust

UNKNOWN = 2**63


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def full(blocks=4, **options):
    """A pool of blocks of 256 bytes, without room for another."""
    pool = rust.MemoryPool(256 * blocks, **options)
    return pool, [pool.allocate(256) for _ in range(blocks)]


def test_reuse_stays_within_the_quota():
    pool = rust.MemoryPool(1024)
    pool.free(pool.allocate(1024))
    for _ in range(4):
        pool.allocate(256)
    assert pool.stats().cudamalloc_count == 1
    with pytest.raises(MemoryError, match=r"1024 bytes .*: 0 bytes available of 1024 bytes"):
        pool.allocate(1024)
    assert (pool.used, pool.cached, pool.available) == (1024, 0, 0)


@pytest.mark.parametrize("enable_eviction", [False, True])
def test_what_is_kept_counts_and_is_given_up(enable_eviction):
    pool = rust.MemoryPool(1 << 20, enable_eviction)
    for block in [pool.allocate(256) for _ in range(4096)]:
        pool.free(block)
    assert (pool.used, pool.cached, pool.stats().free_blocks) == (0, 1 << 20, 4096)
    pool.allocate(1 << 20)
    assert (pool.used, pool.cached, pool.available) == (1 << 20, 0, 0)
    assert pool.stats().eviction_count == 0


@pytest.mark.parametrize("size", [2**64 - 1, 2**63, (1 << 20) + 1])
def test_sizes_beyond_the_quota(size):
    pool = rust.MemoryPool(1 << 20)
    with pytest.raises(MemoryError, match=rf"{size} bytes .*: 1048576 bytes available"):
        pool.allocate(size)
    assert (pool.used, pool.stats().active_blocks) == (0, 0)


def test_the_longest_unused_is_evicted_first():
    pool, blocks = full(enable_eviction=True)
    pool.touch(blocks[0])
    evicted = []
    for _ in range(4):
        pool.allocate(256)
        evicted += [b for b in blocks if b not in evicted and not pool.is_block_on_gpu(b)]
    assert evicted == [blocks[at] for at in (1, 2, 3, 0)]
    assert pool.stats().eviction_count == 4
    assert pool.used == 1024


def test_without_eviction_no_block_moves():
    pool, blocks = full()
    with pytest.raises(MemoryError):
        pool.allocate(1)
    assert all(map(pool.is_block_on_gpu, blocks))


def test_an_evicted_block_has_no_memory_to_give_back():
    pool, (first,) = full(1, enable_eviction=True)
    second = pool.allocate(256)
    assert pool.get_block(first).is_evicted()
    pool.free(first)
    assert (pool.used, pool.cached) == (256, 0)
    third = pool.allocate(256)
    assert pool.is_block_on_gpu(third)
    for block in (second, third):
        pool.free(block)
    assert (pool.used, pool.cached) == (0, 256)


def test_restoring_stays_within_the_quota():
    pool, (first,) = full(1, enable_eviction=True)
    second = pool.allocate(256)
    pool.set_device_ptr(second, 4096)
    with pytest.raises(MemoryError, match="0 bytes available of 256 bytes"):
        pool.restore(first)
    assert (pool.used, pool.is_block_on_gpu(first)) == (256, False)
    pool.evict(second)
    pool.restore(first)
    assert (pool.used, pool.is_block_on_gpu(first)) == (256, True)
    # Restoring makes room as allocating does.
    pool.restore(second)
    assert pool.get_block(first).is_evicted()


def test_memory_that_the_user_named_is_never_taken_away():
    pool, blocks = full(2, enable_eviction=True)
    pool.set_device_ptr(blocks[0], 4096)
    pool.set_device_ptr(blocks[0], 8192)
    pool.allocate(256)
    assert [pool.is_block_on_gpu(block) for block in blocks] == [True, False]
    with pytest.raises(MemoryError, match="256 bytes available"):
        pool.allocate(512)
    assert pool.get_block(blocks[0]).device_ptr == 8192
    # Its user evicts it, and its address is its no more.
    pool.evict(blocks[0])
    assert pool.get_block(blocks[0]).device_ptr is None
    with pytest.raises(ValueError, match="on the host, not resident"):
        pool.set_device_ptr(blocks[0], 4096)
    pool.allocate(512)


def test_the_next_owner_does_not_see_the_last_ones_data():
    pool = rust.MemoryPool(256)
    first = pool.allocate(256)
    pool.set_device_ptr(first, 4096)
    pool.set_host_data(first, b"secret")
    pool.free(first)
    second = pool.allocate(256)
    assert pool.stats().reuse_count == 1
    assert pool.get_host_data(second) is None
    assert pool.get_block(second).device_ptr is None
    with pytest.raises(ValueError):
        pool.get_host_data(first)


@given(st.integers(0, 1 << 40))
def test_size_classes_waste_at_most_a_quarter(size):
    pool = rust.MemoryPool("2TiB")
    taken = pool.get_block_size(pool.allocate(size))
    assert size <= taken <= max(size * 5 // 4, size + 255, 256)


def test_no_size_class_is_four_times_too_large():
    pool = rust.MemoryPool("1GiB")
    assert pool.get_block_size(pool.allocate((64 << 20) + 1)) == 80 << 20


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("free", ()),
        ("touch", ()),
        ("evict", ()),
        ("restore", ()),
        ("set_device_ptr", (1,)),
        ("set_host_data", (b"",)),
        ("get_host_data", ()),
        ("clear_host_data", ()),
    ],
)
def test_unknown_blocks(call, arguments):
    pool = rust.MemoryPool(4096)
    freed = pool.allocate(1)
    pool.free(freed)
    successor = pool.allocate(1)
    assert successor != freed
    for unknown in (freed, UNKNOWN):
        with pytest.raises(ValueError, match=rf"no block {unknown} in this pool"):
            getattr(pool, call)(unknown, *arguments)
    assert pool.is_block_on_gpu(successor)


def test_questions_about_unknown_blocks():
    pool = rust.MemoryPool(4096)
    assert pool.get_block(0) is None
    assert pool.get_block_size(0) is None
    assert not pool.is_block_on_gpu(0)


def test_reuse_takes_no_memory():
    pool = rust.MemoryPool("1GiB")
    for _ in range(1000):
        pool.free(pool.allocate(4096))
    stats = pool.stats()
    assert (stats.allocation_count, stats.reuse_count, stats.cudamalloc_count) == (1000, 999, 1)
    assert (pool.used, pool.cached) == (0, 4096)


def test_eviction_shows_in_the_block():
    pool, (first,) = full(1, enable_eviction=True)
    before = pool.get_block(first)
    pool.allocate(256)
    after = pool.get_block(first)
    assert (before.on_gpu, before.on_host, before.is_evicted()) == (True, False, False)
    assert (after.on_gpu, after.on_host, after.is_evicted()) == (False, True, True)


@pytest.mark.parametrize("dtype", ["float16", "uint8", "float64"])
def test_host_data_comes_back_byte_for_byte(dtype):
    pool = rust.MemoryPool(4096)
    block = pool.allocate(256)
    data = np.arange(256 // np.dtype(dtype).itemsize).astype(dtype)
    pool.set_host_data(block, data.tobytes())
    assert pool.get_block(block).on_host
    np.testing.assert_array_equal(np.frombuffer(pool.get_host_data(block), dtype), data)
    pool.set_host_data(block, bytearray(b"other"))
    assert pool.get_host_data(block) == b"other"
    pool.clear_host_data(block)
    assert pool.get_host_data(block) is None
    assert not pool.get_block(block).on_host


def test_host_data_that_is_too_long():
    pool = rust.MemoryPool(4096)
    block = pool.allocate(256)
    pool.set_host_data(block, b"kept")
    with pytest.raises(ValueError, match=r"257 bytes do not fit into block 0 of 256 bytes"):
        pool.set_host_data(block, bytes(257))
    assert pool.get_host_data(block) == b"kept"


def test_the_clock_is_asked():
    clock = Clock()
    pool = rust.MemoryPool(4096, clock=clock)
    clock.now = 1.5
    block = pool.allocate(1)
    assert pool.get_block(block).last_access == 1.5
    clock.now = 2.25
    assert pool.get_block(block).last_access == 1.5
    pool.touch(block)
    assert pool.get_block(block).last_access == 2.25
    pool.evict(block)
    clock.now = 4
    pool.touch(block)
    assert pool.get_block(block).last_access == 4
    clock.now = 5
    pool.restore(block)
    assert pool.get_block(block).last_access == 5


@pytest.mark.parametrize(
    ("now", "error"), [("soon", TypeError), (-1.0, ValueError), (None, TypeError)]
)
def test_a_clock_that_tells_no_time(now, error):
    pool = rust.MemoryPool(4096, clock=lambda: now)
    with pytest.raises(error):
        pool.allocate(1)
    assert pool.used == 0


def test_the_clock_of_python_is_the_default():
    pool = rust.MemoryPool(4096)
    first, second = (pool.get_block(pool.allocate(1)).last_access for _ in range(2))
    assert 0 < first <= second


def test_clear_takes_everything_back():
    pool, blocks = full(2, enable_eviction=True)
    pool.allocate(256)
    pool.clear()
    assert (pool.used, pool.cached, pool.available) == (0, 0, 512)
    assert all(pool.get_block(block) is None for block in blocks)
    pool.allocate(512)


def test_neighbours_are_joined():
    pool = rust.MemoryPool(1024)
    pool.free(pool.allocate(1024))
    blocks = [pool.allocate(256) for _ in range(4)]
    for at in (1, 3, 2):
        pool.free(blocks[at])
    assert pool.stats().free_blocks == 1
    assert pool.get_block_size(pool.allocate(700)) == 768


def test_a_refusal_says_what_fits():
    pool = rust.MemoryPool(1024)
    pool.free(pool.allocate(1024))
    blocks = [pool.allocate(256) for _ in range(4)]
    pool.free(blocks[0])
    pool.free(blocks[2])
    assert pool.available == 512
    with pytest.raises(MemoryError, match=r"512 bytes .*: 256 bytes available of 1024 bytes"):
        pool.allocate(512)
    pool.allocate(256)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3000), st.integers(0, 9))))
def test_bytes_are_conserved(operations):
    pool = rust.MemoryPool(8192, enable_eviction=True)
    live = []
    for what, size, at in operations:
        block = live[at % len(live)] if live else None
        if block is None or what <= 1:
            live.append(pool.allocate(size))
        elif what == 2:
            live.remove(block)
            pool.free(block)
        elif pool.is_block_on_gpu(block):
            pool.evict(block)
        else:
            pool.restore(block)
        resident = [pool.get_block_size(b) for b in live if pool.is_block_on_gpu(b)]
        assert pool.used == sum(resident)
        assert pool.used + pool.available == 8192
        assert pool.used + pool.cached <= 8192
        assert pool.stats().active_blocks == len(live)


@pytest.mark.parametrize("quota", [-1, 1.5, True, None, "a lot"])
def test_quotas_that_are_none(quota):
    with pytest.raises((TypeError, ValueError)):
        rust.MemoryPool(quota)
