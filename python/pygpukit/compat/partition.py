"""Division of a device into partitions, as an agreement on numbers."""

from pygpukit._pygpukit_rust import (
    Partition,
    PartitionConfig,
    PartitionLimits,
    PartitionManager,
    PartitionStats,
)

__all__ = [
    "Partition",
    "PartitionConfig",
    "PartitionLimits",
    "PartitionManager",
    "PartitionStats",
]
