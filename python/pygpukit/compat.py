"""Classes that existing scripts import from `_pygpukit_rust`: decisions in numbers alone."""

from pygpukit._pygpukit_rust import (
    MemoryPool,
    Partition,
    PartitionConfig,
    PartitionLimits,
    PartitionManager,
    PoolStats,
    QosClass,
    QosEvaluation,
    QosPolicyEvaluator,
    QosStats,
    QosTaskMeta,
)

__all__ = [
    "MemoryPool",
    "Partition",
    "PartitionConfig",
    "PartitionLimits",
    "PartitionManager",
    "PoolStats",
    "QosClass",
    "QosEvaluation",
    "QosPolicyEvaluator",
    "QosStats",
    "QosTaskMeta",
]
