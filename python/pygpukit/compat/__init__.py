"""Classes that existing scripts import from `_pygpukit_rust`: decisions in numbers alone.

They touch no device. Memory is an integer of bytes or text such as `"512MB"`, a share a
number from 0 to 1; what is out of range raises `ValueError`.
"""

from pygpukit.compat.partition import (
    Partition,
    PartitionConfig,
    PartitionLimits,
    PartitionManager,
)
from pygpukit.compat.pool import (
    MemoryBlock,
    MemoryPool,
    PoolStats,
)
from pygpukit.compat.qos import (
    QosClass,
    QosEvaluation,
    QosPolicyEvaluator,
    QosStats,
    QosTaskMeta,
)

__all__ = [
    "MemoryBlock",
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
