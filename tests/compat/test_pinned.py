"""`PinnedMemoryManager`: pinned memory within a quota, what is kept included."""

import pytest

import _pygpukit_rust as rust

KIB = 1024
ADDRESS = 0x7F00_0000_0000


class Clock:
    """Stands still until it is moved."""

    seconds = 0.0

    def __call__(self):
        return self.seconds


def manager(max_size, **config):
    config = rust.PinnedPoolConfig(max_size=max_size, **config)
    return rust.PinnedMemoryManager(config, clock=Clock())


def pinned(pool, size, address=ADDRESS):
    """A block with memory."""
    block, size_class, reused = pool.allocate(size)
    assert not reused
    pool.register(block, address, size_class)
    return block


def test_an_allocation_that_fails_on_the_host_is_rolled_back():
    pool = manager(64 * KIB)
    block, size, reused = pool.allocate(64 * KIB)
    assert (size, reused) == (64 * KIB, False)
    # No memory could be pinned for it.
    assert pool.free(block) == (False, None)
    assert (pool.stats().total_allocated, pool.active_count()) == (0, 0)
    with pytest.raises(ValueError, match="no pinned block `1`"):
        pool.free(block)
    assert pool.allocate(64 * KIB) == (2, 64 * KIB, False)


def test_what_can_be_allocated_is_allocated():
    pool = manager(5000)
    for size in (1, 4096, 4097, 5000, 5001, 2**64 - 1):
        if pool.can_allocate(size):
            block, *_ = pool.allocate(size)
            pool.free(block)
        else:
            with pytest.raises(MemoryError, match=f"{size} bytes is larger than the quota of 5000"):
                pool.allocate(size)
    assert not pool.can_allocate(4097)


def test_what_is_kept_counts():
    pool = manager(64 * KIB)
    block = pinned(pool, 64 * KIB)
    assert pool.free(block) == (False, ADDRESS)
    assert not pool.can_allocate(4096)
    with pytest.raises(MemoryError, match="65536 are kept for reuse, of which 4096 would have to"):
        pool.allocate(4096)
    stats = pool.stats()
    assert (stats.total_allocated, stats.current_used, stats.pool_size) == (64 * KIB, 0, 64 * KIB)
    assert pool.trim_pool(4096) == [ADDRESS]
    first, second = pinned(pool, 32 * KIB), pinned(pool, 32 * KIB, ADDRESS * 2)
    # Reuse has to respect the quota too.
    pool.free(first)
    assert pool.allocate(32 * KIB) == (4, 32 * KIB, True)
    with pytest.raises(MemoryError, match="65536 are in use, of which 4096 would have to be freed"):
        pool.allocate(4096)
    assert pool.stats().total_allocated == 64 * KIB
    assert pool.get(second).size == 32 * KIB


def test_alignments_are_checked():
    for wrong in (0, 3, 768):
        with pytest.raises(ValueError, match=f"a power of two, not `{wrong}`"):
            rust.PinnedPoolConfig(alignment=wrong)
    pool = manager("1MiB", alignment=4096)
    block, size, _ = pool.allocate(100)
    with pytest.raises(ValueError, match="not a multiple of the alignment 4096"):
        pool.register(block, ADDRESS + 256, size)


def test_memory_is_registered_once_for_a_block_that_is_there():
    pool = manager("1MiB")
    with pytest.raises(ValueError, match="no pinned block `99`"):
        pool.register(99, ADDRESS, 4096)
    block, size, _ = pool.allocate(5000)
    assert pool.get(block).host_ptr is None
    with pytest.raises(ValueError, match="8192 bytes, and 5000 are too few"):
        pool.register(block, ADDRESS, 5000)
    with pytest.raises(ValueError, match="nothing is at address 0"):
        pool.register(block, 0, size)
    pool.register(block, ADDRESS, size)
    with pytest.raises(ValueError, match="has its memory at 0x7f0000000000"):
        pool.register(block, ADDRESS * 2, size)
    assert pool.get(block).host_ptr == ADDRESS


def test_size_classes_are_pages_and_waste_a_quarter_at_most():
    config = rust.PinnedPoolConfig()
    assert (config.max_size, config.enable_pooling, config.alignment) == (1 << 30, True, 256)
    sizes = {
        0: 4096,
        4096: 4096,
        4097: 8192,
        "64KiB": 65536,
        65537: 81920,
        (64 << 20) + 1: 80 << 20,
    }
    for size, size_class in sizes.items():
        assert config.get_size_class(size) == size_class
    assert rust.PinnedPoolConfig(alignment="1MiB").get_size_class(1) == 1 << 20
    with pytest.raises(MemoryError):
        config.get_size_class(2**64 - 1)


def test_freed_memory_is_reused_and_counted():
    pool = rust.PinnedMemoryManager.with_max_size("1MiB", clock=Clock())
    first = pinned(pool, 4096)
    pool.free(first)
    second, size, reused = pool.allocate(1)
    assert (second, size, reused, pool.get(second).host_ptr) == (2, 4096, True, ADDRESS)
    # The block that was is not the one that is.
    with pytest.raises(ValueError):
        pool.free(first)
    assert pool.get(first) is None
    third = pinned(pool, 8192, ADDRESS * 2)
    pool.free(third)
    stats = pool.stats()
    assert (stats.total_allocations, stats.total_frees) == (3, 2)
    assert (stats.pool_hits, stats.pool_misses, stats.hit_rate()) == (1, 2, 1 / 3)
    assert (stats.current_used, stats.peak_used, stats.pooled_blocks) == (4096, 12288, 1)
    assert pool.clear_pool() == [ADDRESS * 2]
    assert pool.clear() == [ADDRESS]
    assert pool.stats().total_allocated == pool.stats().total_allocations == 0


def test_nothing_is_kept_without_pooling():
    pool = manager("1MiB", enable_pooling=False)
    assert pool.free(pinned(pool, 1)) == (True, ADDRESS)
    assert pool.stats().total_allocated == 0


def test_blocks_of_a_task_go_together():
    pool = manager("1MiB")
    first, second = pinned(pool, 1), pinned(pool, 1, ADDRESS * 2)
    waiting, *_ = pool.allocate(1)
    for block in (first, second, waiting):
        pool.associate_task(block, "task")
    pool.associate_task(second, "other")
    assert [block.id for block in pool.get_blocks_for_task("task")] == [first, waiting]
    assert pool.get(second).task_id == "other"
    assert pool.free_task_blocks("task") == [(False, ADDRESS), (False, None)]
    assert pool.free_task_blocks("task") == []
    assert pool.active_count() == 1
    with pytest.raises(ValueError):
        pool.associate_task(first, "task")


def test_times_are_the_clock_s():
    clock = Clock()
    pool = rust.PinnedMemoryManager(clock=clock)
    clock.seconds = 1.5
    block, *_ = pool.allocate(1)
    clock.seconds = 2.5
    pool.touch(block)
    times = pool.get(block)
    assert (times.allocated_at, times.last_access) == (1.5, 2.5)
    with pytest.raises(ValueError):
        pool.touch(99)
