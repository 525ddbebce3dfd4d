"""Division of a device into partitions, as an agreement on numbers."""

from fractions import Fraction
from typing import final

__all__ = [
    "Partition",
    "PartitionConfig",
    "PartitionLimits",
    "PartitionManager",
]

@final
class PartitionConfig:
    """What there is to be divided.

    Args:
        total_memory: Bytes; 8 GiB if left out.
    """

    def __new__(cls, total_memory: int | str = 8589934592) -> PartitionConfig: ...
    @property
    def total_memory(self) -> int:
        """Bytes to be divided."""

@final
class PartitionLimits:
    """What a partition is to have. What is not said is not reserved."""

    def __new__(cls) -> PartitionLimits: ...
    def memory(self, quota: int | str) -> PartitionLimits:
        """With memory of its own.

        Args:
            quota: Bytes.
        """
    def compute(self, share: float | Fraction) -> PartitionLimits:
        """With a share of the multiprocessors of its own.

        Args:
            share: From 0 to 1.
        """
    def bandwidth(self, share: float | Fraction) -> PartitionLimits:
        """With a share of the time of its own.

        Args:
            share: From 0 to 1.
        """
    @property
    def memory_quota(self) -> int | None:
        """Bytes of its own."""
    @property
    def compute_share(self) -> float | None:
        """Share of the multiprocessors of its own."""
    @property
    def bandwidth_share(self) -> float | None:
        """Share of the time of its own."""

@final
class Partition:
    """A partition as it was granted."""

    @property
    def id(self) -> str:
        """Its name for programs."""
    @property
    def name(self) -> str:
        """Its name for people."""
    @property
    def memory(self) -> int:
        """Bytes of its own."""
    @property
    def compute(self) -> float:
        """Share of the multiprocessors of its own."""
    @property
    def bandwidth(self) -> float:
        """Share of the time of its own."""

@final
class PartitionManager:
    """Divides a device, in numbers: partitions together never have more than it has.

    Args:
        config: What there is to be divided; 8 GiB if left out.

    Example:
        >>> from pygpukit.compat import PartitionConfig, PartitionLimits, PartitionManager
        >>> manager = PartitionManager(PartitionConfig(total_memory="8GiB"))
        >>> half = PartitionLimits().memory("4GiB").compute(0.5)
        >>> manager.create_partition("inference", "Inference", half)
        >>> manager.create_partition("training", "Training", half)
        >>> manager.available_memory
        0
    """

    def __new__(cls, config: PartitionConfig | None = None) -> PartitionManager: ...
    def create_partition(self, id: str, name: str, limits: PartitionLimits) -> None:
        """Makes a partition.

        Args:
            id: Its name for programs, used by no other.
            name: Its name for people.
            limits: What it is to have.

        Raises:
            ValueError: There is one of that id.
            RuntimeError: There is not enough left; the message says of what.
        """
    def delete_partition(self, id: str) -> None:
        """Ends a partition.

        Args:
            id: Of the partition.

        Raises:
            ValueError: There is none of that id.
        """
    def get(self, id: str) -> Partition:
        """A partition.

        Args:
            id: Of the partition.

        Raises:
            ValueError: There is none of that id.
        """
    def partition_ids(self) -> list[str]:
        """The ids, in order."""
    @property
    def available_memory(self) -> int:
        """Bytes that no partition has."""
    @property
    def available_compute(self) -> float:
        """Share of the multiprocessors that no partition has."""
    @property
    def available_bandwidth(self) -> float:
        """Share of the time that no partition has."""
