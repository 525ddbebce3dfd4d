"""`PartitionManager`: a device divided."""

import pytest

import _pygpukit_rust as rust

GIB = 1 << 30


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
    for keyword in ("compute_share", "bandwidth_share"):
        with pytest.raises(ValueError):
            rust.PartitionLimits(**{keyword: share})
    with pytest.raises(ValueError):
        rust.QosPolicyEvaluator(1000, share)


def test_ids_of_partitions():
    manager = rust.PartitionManager(rust.PartitionConfig(1000))
    manager.create_partition("a", "A", rust.PartitionLimits())
    with pytest.raises(ValueError, match="`a` already"):
        manager.create_partition("a", "B", rust.PartitionLimits())
    for call in (manager.delete_partition, manager.set_default):
        with pytest.raises(ValueError, match="no partition `b`"):
            call("b")
    with pytest.raises(ValueError, match="no partition `b`"):
        manager.assign_task("task", "b")
    assert manager.get("b") is None
    with pytest.raises(RuntimeError, match="1000"):
        manager.create_partition("b", "B", rust.PartitionLimits().memory(10**9))


def test_over_commitment_ends_at_its_ratio():
    manager = rust.PartitionManager(rust.PartitionConfig(1000, True, 1.5))
    with pytest.raises(RuntimeError, match="1000000000 bytes, 1000 bytes available"):
        manager.create_partition("a", "A", rust.PartitionLimits(10**9))
    with pytest.raises(ValueError):
        rust.PartitionLimits(1000, 5.0)
    manager.create_partition("a", "A", rust.PartitionLimits(1000))
    with pytest.raises(RuntimeError, match="501 bytes, 500 bytes available"):
        manager.create_partition("b", "B", rust.PartitionLimits(501))
    manager.create_partition("b", "B", rust.PartitionLimits(500))
    assert manager.stats().total_memory_allocated == 1500
    # Without it there is what there is.
    manager = rust.PartitionManager(rust.PartitionConfig(1000, False, 1.5))
    manager.create_partition("a", "A", rust.PartitionLimits(600))
    with pytest.raises(RuntimeError, match="401 bytes, 400 bytes available"):
        manager.create_partition("b", "B", rust.PartitionLimits(401))
    for ratio in (0.9, -1.0, float("nan")):
        with pytest.raises(ValueError):
            rust.PartitionConfig(1000, True, ratio)


@pytest.mark.parametrize("quota", [None, 0])
def test_a_partition_without_a_quota_has_no_memory_of_its_own(quota):
    manager = rust.PartitionManager(rust.PartitionConfig(1000))
    manager.create_partition("free", "Free", rust.PartitionLimits(quota))
    manager.create_partition("full", "Full", rust.PartitionLimits(1000))
    assert [manager.get(name).memory for name in ("free", "full")] == [0, 1000]
    stats = manager.stats()
    assert (stats.partition_count, stats.total_memory_allocated, stats.available_memory) == (
        2,
        1000,
        0,
    )


def test_the_next_default_is_the_oldest_partition():
    for names in (["c", "b", "a", "d"], ["a", "c", "b"]):
        manager = rust.PartitionManager()
        assert manager.default_partition() is None
        for name in names:
            manager.create_partition(name, name, rust.PartitionLimits())
        for name in names:
            assert manager.default_partition().id == name
            assert manager.get_task_partition("task").id == name
            assert manager.delete_partition(name).id == name
        assert manager.get_task_partition("task") is None


def test_tasks_are_assigned_to_one_partition():
    manager = rust.PartitionManager.with_memory("1GiB")
    for name in ("a", "b"):
        manager.create_partition(name, name, rust.PartitionLimits())
    manager.assign_task("task", "a")
    manager.assign_task("task", "b")
    assert [manager.get(name).tasks for name in ("a", "b")] == [[], ["task"]]
    assert manager.get_task_partition("task").id == "b"
    assert [manager.unassign_task("task") for _ in range(2)] == [True, False]
    manager.set_default("b")
    assert manager.get_task_partition("task").id == "b"
    manager.assign_task("task", "b")
    assert manager.delete_partition("b").tasks == ["task"]
    assert manager.get_task_partition("task").id == "a"
    manager.clear()
    assert (manager.partition_ids(), manager.available_memory) == ([], GIB)


def test_multiprocessors_come_in_groups():
    config = rust.PartitionConfig(total_sms=132, sm_group=8)
    assert (config.total_sms, config.sm_group) == (132, 8)
    manager = rust.PartitionManager(config)
    for index in range(6):
        manager.create_partition(f"{index}", "Sixth", rust.PartitionLimits.with_compute(1 / 6))
    sms = [manager.get(f"{index}").sms for index in range(6)]
    # 22 are asked for; 16 groups of 8 are there.
    assert (sum(sms), min(sms)) == (128, 16)
    with pytest.raises(ValueError, match="asked for 1 multiprocessors; the least is a group, 8"):
        manager.create_partition("a", "A", rust.PartitionLimits.with_compute(0.01))
    assert rust.PartitionConfig().total_sms is None
    manager.clear()
    manager.create_partition("a", "A", rust.PartitionLimits.with_memory(1))
    assert (manager.get("a").sms, manager.get("a").memory) == (None, 1)


def test_limits_are_what_was_said():
    limits = rust.PartitionLimits()
    assert (limits.memory_quota, limits.compute_share, limits.bandwidth_share) == (None, None, None)
    assert limits.max_streams == 16
    limits = rust.PartitionLimits("1KiB", 0.5, 0.25, 4).memory(7)
    assert (limits.memory_quota, limits.compute_share, limits.bandwidth_share) == (7, 0.5, 0.25)
    manager = rust.PartitionManager()
    manager.create_partition("a", "A", limits)
    partition = manager.get("a")
    assert (partition.limits.memory_quota, partition.limits.max_streams) == (7, 4)
    # It has all the time of its own multiprocessors, and none of the others'.
    assert (partition.memory, partition.compute, partition.bandwidth) == (7, 0.5, 0.0)
    manager.create_partition("c", "C", rust.PartitionLimits(bandwidth_share=1.0))
    assert (manager.get("c").bandwidth, manager.available_bandwidth) == (1.0, 0.0)
    with pytest.raises(ValueError, match="`streams` is 0"):
        manager.create_partition("b", "B", rust.PartitionLimits(max_streams=0))
