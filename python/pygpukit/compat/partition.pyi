"""Division of a device into partitions, as an agreement on numbers."""

from fractions import Fraction
from typing import final

__all__ = [
    "Partition",
    "PartitionConfig",
    "PartitionLimits",
    "PartitionManager",
    "PartitionStats",
]

@final
class PartitionConfig:
    """What there is to be divided.

    Args:
        total_memory: Bytes; 8 GiB if left out.
        allow_overcommit: True if partitions may have more memory together than there is.
        overcommit_ratio: How many times as much, at least 1; no partition has more than there
            is.
        total_sms: Multiprocessors; None to divide shares of them as numbers only.
        sm_group: Multiprocessors of a group: partitions have whole groups.
    """

    def __new__(
        cls,
        total_memory: int | str = 8589934592,
        allow_overcommit: bool = False,
        overcommit_ratio: float = 1.0,
        total_sms: int | None = None,
        sm_group: int = 8,
    ) -> PartitionConfig: ...
    @property
    def total_memory(self) -> int:
        """Bytes to be divided."""
    @property
    def allow_overcommit(self) -> bool:
        """Whether partitions may have more memory together than there is."""
    @property
    def overcommit_ratio(self) -> float:
        """How many times as much they may have, if so."""
    @property
    def total_sms(self) -> int | None:
        """Multiprocessors to be divided."""
    @property
    def sm_group(self) -> int | None:
        """Multiprocessors of a group."""

@final
class PartitionLimits:
    """What a partition is to have. What is not said is not reserved.

    Args:
        memory_quota: Bytes of its own. Without, or with 0, it has none, and may use what no
            partition has.
        compute_share: Share of the multiprocessors of its own.
        bandwidth_share: Share of the time of its own, on multiprocessors that no partition has;
            one with some of its own has all of their time.
        max_streams: Streams that its work is spread over.
    """

    def __new__(
        cls,
        memory_quota: int | str | None = None,
        compute_share: float | Fraction | None = None,
        bandwidth_share: float | Fraction | None = None,
        max_streams: int = 16,
    ) -> PartitionLimits: ...
    @classmethod
    def with_memory(cls, quota: int | str) -> PartitionLimits:
        """Memory of its own, and nothing else.

        Args:
            quota: Bytes.
        """
    @classmethod
    def with_compute(cls, share: float | Fraction) -> PartitionLimits:
        """A share of the multiprocessors of its own, and nothing else.

        Args:
            share: From 0 to 1.
        """
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
    @property
    def max_streams(self) -> int:
        """Streams that its work is spread over."""

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
    def limits(self) -> PartitionLimits:
        """What it was to have."""
    @property
    def tasks(self) -> list[str]:
        """The tasks assigned to it, in order."""
    @property
    def memory(self) -> int:
        """Bytes of its own."""
    @property
    def compute(self) -> float:
        """Share of the multiprocessors of its own."""
    @property
    def bandwidth(self) -> float:
        """Share of the time of its own."""
    @property
    def sms(self) -> int | None:
        """Multiprocessors of its own; None without some, or if they are not divided.

        Whole groups, less than its share by less than a group.
        """

@final
class PartitionStats:
    """What partitions have, and what is left, at one moment."""

    @property
    def partition_count(self) -> int:
        """How many partitions there are."""
    @property
    def total_memory_allocated(self) -> int:
        """Bytes that partitions have."""
    @property
    def total_compute_allocated(self) -> float:
        """Share of the multiprocessors that partitions have."""
    @property
    def total_bandwidth_allocated(self) -> float:
        """Share of the time that partitions have."""
    @property
    def available_memory(self) -> int:
        """Bytes that a partition could still have."""
    @property
    def available_compute(self) -> float:
        """Share of the multiprocessors that no partition has."""
    @property
    def available_bandwidth(self) -> float:
        """Share of the time that no partition has."""

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
    @classmethod
    def with_memory(cls, total_memory: int | str) -> PartitionManager:
        """A manager of a device with that much memory.

        Args:
            total_memory: Bytes.
        """
    def create_partition(self, id: str, name: str, limits: PartitionLimits) -> None:
        """Makes a partition. The first is the default.

        Args:
            id: Its name for programs, used by no other.
            name: Its name for people.
            limits: What it is to have.

        Raises:
            ValueError: There is one of that id, or no partition can have such limits.
            RuntimeError: There is not enough left; the message says of what.
        """
    def delete_partition(self, id: str) -> Partition:
        """Ends a partition, and returns what it was.

        Its tasks are assigned to none. If it was the default, the oldest of the others is.

        Args:
            id: Of the partition.

        Raises:
            ValueError: There is none of that id.
        """
    def get(self, id: str) -> Partition | None:
        """A partition; None if there is none of that id.

        Args:
            id: Of the partition.
        """
    def partition_ids(self) -> list[str]:
        """The ids, in order."""
    def assign_task(self, task_id: str, partition_id: str) -> None:
        """Assigns a task to a partition, and to no other.

        Args:
            task_id: The task.
            partition_id: The partition.

        Raises:
            ValueError: There is no such partition.
        """
    def unassign_task(self, task_id: str) -> bool:
        """Assigns a task to none; True if it was assigned to one.

        Args:
            task_id: The task.
        """
    def get_task_partition(self, task_id: str) -> Partition | None:
        """Where a task is assigned, or else the default partition.

        Args:
            task_id: The task.
        """
    def set_default(self, id: str) -> None:
        """Makes a partition the default.

        Args:
            id: Of the partition.

        Raises:
            ValueError: There is none of that id.
        """
    def default_partition(self) -> Partition | None:
        """The default partition; None without partitions."""
    def clear(self) -> None:
        """Ends all partitions."""
    def stats(self) -> PartitionStats:
        """What partitions have, and what is left."""
    @property
    def available_memory(self) -> int:
        """Bytes that no partition has."""
    @property
    def available_compute(self) -> float:
        """Share of the multiprocessors that no partition has."""
    @property
    def available_bandwidth(self) -> float:
        """Share of the time that no partition has."""
