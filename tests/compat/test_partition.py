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
