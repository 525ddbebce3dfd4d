"""Classes that existing scripts import from `_pygpukit_rust`: decisions in numbers alone.

They touch no device. Memory is an integer of bytes or text such as `"512MB"`, a share a
number from 0 to 1; what is out of range raises `ValueError`.
"""

from fractions import Fraction
from typing import ClassVar, final

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

@final
class MemoryPool:
    """Hands out blocks of memory within a quota, and keeps freed ones for reuse.

    What is in use and what is kept together never exceed the quota. A block in use is
    never taken away.

    Args:
        quota: The most bytes.
        enable_eviction: True to give up freed blocks, the longest unused first, when a
            request needs their room.

    Example:
        >>> from pygpukit.compat import MemoryPool
        >>> pool = MemoryPool(quota="1MiB", enable_eviction=True)
        >>> block = pool.allocate(4096)
        >>> pool.used
        4096
    """

    def __new__(cls, quota: int | str, enable_eviction: bool = False) -> MemoryPool: ...
    @property
    def quota(self) -> int:
        """The most that may be in use and kept together."""
    @property
    def used(self) -> int:
        """In blocks in use, each rounded up to its size class."""
    @property
    def cached(self) -> int:
        """In blocks that were freed and kept."""
    @property
    def available(self) -> int:
        """What a new block could take."""
    def allocate(self, size: int | str) -> int:
        """Takes a block of at least that size; returns its id.

        Args:
            size: Bytes.

        Raises:
            MemoryError: The quota does not allow it; the message says what it allows.
        """
    def free(self, block_id: int) -> None:
        """Takes a block back.

        Args:
            block_id: Of a block in use.

        Raises:
            ValueError: No such block is in use.
        """
    def get_block_size(self, block_id: int) -> int:
        """Bytes that a block takes.

        Args:
            block_id: Of a block in use.

        Raises:
            ValueError: No such block is in use.
        """
    def stats(self) -> PoolStats:
        """The pool in numbers."""

@final
class PoolStats:
    """A pool at one moment."""

    @property
    def quota(self) -> int:
        """The most bytes in use and kept."""
    @property
    def used(self) -> int:
        """Bytes in use."""
    @property
    def cached(self) -> int:
        """Bytes freed and kept."""
    @property
    def available(self) -> int:
        """Bytes that a new block could take."""
    @property
    def allocation_count(self) -> int:
        """Requests served."""
    @property
    def reuse_count(self) -> int:
        """Requests served with a freed block."""
    @property
    def eviction_count(self) -> int:
        """Freed blocks given up for others."""
    @property
    def active_blocks(self) -> int:
        """Blocks in use."""
    @property
    def free_blocks(self) -> int:
        """Blocks freed and kept."""

@final
class QosClass:
    """What a task is promised."""

    Guaranteed: ClassVar[QosClass]
    Burstable: ClassVar[QosClass]
    BestEffort: ClassVar[QosClass]
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __int__(self) -> int: ...

@final
class QosTaskMeta:
    """A task to be evaluated."""

    @classmethod
    def guaranteed(cls, id: str, name: str, memory: int | str) -> QosTaskMeta:
        """A task whose memory is all its own.

        Args:
            id: Its name for programs.
            name: Its name for people.
            memory: Bytes.
        """
    @classmethod
    def burstable(
        cls, id: str, name: str, memory_request: int | str, burst_ratio: float
    ) -> QosTaskMeta:
        """A task that may use more than its own.

        Args:
            id: Its name for programs.
            name: Its name for people.
            memory_request: Bytes of its own.
            burst_ratio: Its limit over its request, at least 1.
        """
    @classmethod
    def best_effort(cls, id: str, name: str) -> QosTaskMeta:
        """A task that uses what is left over.

        Args:
            id: Its name for programs.
            name: Its name for people.
        """
    @property
    def id(self) -> str:
        """Its name for programs."""
    @property
    def name(self) -> str:
        """Its name for people."""
    @property
    def qos_class(self) -> QosClass:
        """What it is promised."""
    @property
    def memory_request(self) -> int:
        """Bytes of its own."""
    @property
    def memory_limit(self) -> int | None:
        """Bytes it may use; None for no limit."""

@final
class QosEvaluation:
    """What a task would get. It reserves nothing."""

    def is_admitted(self) -> bool:
        """All that it requests, and room up to its limit."""
    def is_throttled(self) -> bool:
        """All that it requests, and less room than its limit."""
    def is_queued(self) -> bool:
        """Nothing now: nothing is left over."""
    def is_rejected(self) -> bool:
        """Not what it requests."""
    @property
    def decision_type(self) -> str:
        """`"Admit"`, `"Throttle"`, `"Queue"` or `"Reject"`."""
    @property
    def qos_class(self) -> QosClass:
        """What the task is promised."""
    @property
    def reserved_memory(self) -> int:
        """Bytes that would be its own."""
    @property
    def allowed_memory(self) -> int:
        """Bytes that it could use now."""
    @property
    def reject_reason(self) -> str | None:
        """What there is too little of, with the numbers."""

@final
class QosPolicyEvaluator:
    """Counts what is promised to tasks, by class.

    Args:
        total_memory: Bytes that there are.
        total_bandwidth: Share of the time that there is.

    Example:
        >>> from pygpukit.compat import QosPolicyEvaluator, QosTaskMeta
        >>> evaluator = QosPolicyEvaluator(total_memory="1GiB")
        >>> evaluator.evaluate(QosTaskMeta.guaranteed("task-1", "Critical", "256MiB"))
        <QosEvaluation Admit>
    """

    def __new__(
        cls, total_memory: int | str, total_bandwidth: float | Fraction = 1.0
    ) -> QosPolicyEvaluator: ...
    def evaluate(self, task: QosTaskMeta) -> QosEvaluation:
        """What the task would get now. Reserves nothing.

        Args:
            task: The task.
        """
    def reserve(self, evaluation: QosEvaluation) -> None:
        """Keeps what an evaluation promised.

        Args:
            evaluation: The evaluation.

        Raises:
            RuntimeError: It is not there any more.
        """
    def release(
        self, qos_class: QosClass, memory: int | str, bandwidth: float | Fraction = 0.0
    ) -> None:
        """Gives back what was promised to a task.

        Args:
            qos_class: The task's class.
            memory: Bytes.
            bandwidth: Share of the time.

        Raises:
            RuntimeError: More than is promised to that class.
        """
    def stats(self) -> QosStats:
        """What is promised, in numbers."""

@final
class QosStats:
    """What is promised, at one moment."""

    @property
    def total_memory(self) -> int:
        """Bytes that there are."""
    @property
    def total_bandwidth(self) -> float:
        """Share of the time that there is."""
    @property
    def guaranteed_memory(self) -> int:
        """Bytes promised to guaranteed tasks."""
    @property
    def guaranteed_bandwidth(self) -> float:
        """Share of the time promised to guaranteed tasks."""
    @property
    def burstable_memory(self) -> int:
        """Bytes promised to burstable tasks."""
    @property
    def available_memory(self) -> int:
        """Bytes not promised."""
    @property
    def available_bandwidth(self) -> float:
        """Share of the time not promised."""

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
