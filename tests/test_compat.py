"""The classes that existing scripts import from `_pygpukit_rust`."""

import pytest

import _pygpukit_rust as rust

GIB = 1024**3


def test_the_known_lines():
    pool = rust.MemoryPool(quota=100 * 1024 * 1024, enable_eviction=True)
    assert pool.allocate(4096) == 0
    evaluator = rust.QosPolicyEvaluator(total_memory=8 * GIB, total_bandwidth=1.0)
    task = rust.QosTaskMeta.guaranteed("task-1", "Critical Task", 256 * 1024 * 1024)
    assert evaluator.evaluate(task).is_admitted()
    manager = rust.PartitionManager(rust.PartitionConfig(total_memory=8 * GIB))
    manager.create_partition(
        "inference", "Inference", rust.PartitionLimits().memory(4 * GIB).compute(0.5)
    )
    assert manager.partition_ids() == ["inference"]


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


def test_guaranteed_tasks_reserve_what_they_request():
    evaluator = rust.QosPolicyEvaluator(1000)
    for turn in range(2):
        evaluation = evaluator.evaluate(rust.QosTaskMeta.guaranteed(f"{turn}", "task", 400))
        evaluator.reserve(evaluation)
    stats = evaluator.stats()
    assert (stats.guaranteed_memory, stats.guaranteed_bandwidth) == (800, 0.0)
    assert stats.available_bandwidth == 1.0
    assert evaluator.evaluate(rust.QosTaskMeta.best_effort("b", "b")).is_admitted()
    refused = evaluator.evaluate(rust.QosTaskMeta.guaranteed("c", "c", 201))
    assert refused.is_rejected()
    assert "201 bytes, 200 bytes available of 1000 bytes" in refused.reject_reason
    evaluator.release(rust.QosClass.Guaranteed, 800)
    with pytest.raises(RuntimeError):
        evaluator.release(rust.QosClass.Guaranteed, 1)


def test_throttled_tasks_are_counted():
    evaluator = rust.QosPolicyEvaluator(1000)
    task = rust.QosTaskMeta.burstable("a", "a", 600, 2.0)
    evaluation = evaluator.evaluate(task)
    assert (evaluation.is_throttled(), evaluation.allowed_memory) == (True, 1000)
    evaluator.reserve(evaluation)
    assert evaluator.stats().burstable_memory == 600
    assert evaluator.evaluate(task).is_rejected()


@pytest.mark.parametrize("ratio", [0.5, -1, float("nan"), float("inf")])
def test_burst_ratios_that_make_no_sense(ratio):
    with pytest.raises(ValueError):
        rust.QosTaskMeta.burstable("a", "a", 1000, ratio)


def test_classes_are_values():
    assert rust.QosTaskMeta.best_effort("a", "a").qos_class == rust.QosClass.BestEffort
    assert rust.QosClass.Guaranteed == 0
    assert len({rust.QosClass.Guaranteed, rust.QosClass.Guaranteed}) == 1


def test_two_halves_make_a_whole():
    manager = rust.PartitionManager(rust.PartitionConfig(8 * GIB))
    half = rust.PartitionLimits().memory("4GiB").compute(0.5)
    manager.create_partition("a", "A", half)
    manager.create_partition("b", "B", half)
    assert (manager.available_memory, manager.available_compute) == (0, 0.0)
    assert manager.available_bandwidth == 1.0
    with pytest.raises(RuntimeError, match="memory"):
        manager.create_partition("c", "C", half)
    manager.delete_partition("a")
    manager.create_partition("c", "C", half)
    assert manager.get("c").memory == 4 * GIB


def test_shares_that_add_up_to_one_fit():
    manager = rust.PartitionManager()
    for name, share in [("a", 0.8), ("b", 0.1), ("c", 0.1)]:
        manager.create_partition(name, name, rust.PartitionLimits().compute(share))
    assert manager.available_compute == 0.0


@pytest.mark.parametrize("share", [-1.0, 5.0, float("nan")])
def test_shares_that_are_none(share):
    for call in (rust.PartitionLimits().compute, rust.PartitionLimits().bandwidth):
        with pytest.raises(ValueError):
            call(share)
    with pytest.raises(ValueError):
        rust.QosPolicyEvaluator(1000, share)


def test_ids_of_partitions():
    manager = rust.PartitionManager(rust.PartitionConfig(1000))
    manager.create_partition("a", "A", rust.PartitionLimits())
    with pytest.raises(ValueError, match="`a` already"):
        manager.create_partition("a", "B", rust.PartitionLimits())
    for call in (manager.get, manager.delete_partition):
        with pytest.raises(ValueError, match="no partition `b`"):
            call("b")
    with pytest.raises(RuntimeError, match="1000"):
        manager.create_partition("b", "B", rust.PartitionLimits().memory(10**9))
