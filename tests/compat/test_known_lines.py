"""The lines that existing scripts start with."""

import _pygpukit_rust as rust

GIB = 1 << 30


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
