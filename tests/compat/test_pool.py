"""`MemoryPool`: blocks within a quota."""

import pytest

import _pygpukit_rust as rust


def test_reuse_stays_within_the_quota():
    pool = rust.MemoryPool(4096, enable_eviction=True)
    pool.free(pool.allocate(4096))
    for _ in range(4):
        pool.allocate(512)
    with pytest.raises(MemoryError, match="4096"):
        pool.allocate(4096)
    assert pool.used + pool.cached <= 4096


def test_cached_blocks_count():
    pool = rust.MemoryPool(1 << 20, enable_eviction=True)
    blocks = [pool.allocate(256) for _ in range(2048)]
    for block in blocks:
        pool.free(block)
    pool.allocate(1 << 20)
    assert (pool.used, pool.cached, pool.available) == (1 << 20, 0, 0)
    assert pool.stats().eviction_count == 2048


@pytest.mark.parametrize("size", [2**64 - 1, 2**63, (1 << 20) + 1])
def test_sizes_beyond_the_quota(size):
    pool = rust.MemoryPool(1 << 20)
    with pytest.raises(MemoryError, match=str(size)):
        pool.allocate(size)
    assert pool.used == 0


def test_the_longest_unused_goes_first_and_never_one_in_use():
    pool = rust.MemoryPool(4096, enable_eviction=True)
    a, b, c, d = (pool.allocate(1024) for _ in range(4))
    pool.free(b)
    pool.free(a)
    pool.allocate(512)
    assert pool.stats().free_blocks == 1
    with pytest.raises(MemoryError):
        pool.allocate(3000)
    assert [pool.get_block_size(block) for block in (c, d)] == [1024, 1024]


def test_size_classes_waste_at_most_a_quarter():
    pool = rust.MemoryPool("1GiB")
    assert pool.get_block_size(pool.allocate((64 << 20) + 1)) <= 80 << 20


@pytest.mark.parametrize("call", ["free", "get_block_size"])
def test_unknown_blocks(call):
    pool = rust.MemoryPool(4096)
    block = pool.allocate(1)
    pool.free(block)
    for unknown in (block, 99):
        with pytest.raises(ValueError, match=str(unknown)):
            getattr(pool, call)(unknown)


@pytest.mark.parametrize("quota", [-1, 1.5, True, None, "a lot"])
def test_quotas_that_are_none(quota):
    with pytest.raises((TypeError, ValueError)):
        rust.MemoryPool(quota)
