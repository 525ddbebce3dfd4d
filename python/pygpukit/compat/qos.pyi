"""Quality of service: what would be promised to a task, and keeping count of it."""

from fractions import Fraction
from typing import ClassVar, final

__all__ = [
    "QosClass",
    "QosEvaluation",
    "QosPolicy",
    "QosPolicyEvaluator",
    "QosStats",
    "QosTaskMeta",
]

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
class QosPolicy:
    """What a task asks to be promised."""

    @classmethod
    def guaranteed(cls, memory: int | str, bandwidth: float | Fraction | None = None) -> QosPolicy:
        """All of it its own.

        Args:
            memory: Bytes.
            bandwidth: Share of the time; none if left out.
        """
    @classmethod
    def burstable(
        cls,
        memory_request: int | str,
        burst_ratio: float,
        bandwidth: float | Fraction | None = None,
    ) -> QosPolicy:
        """Some of its own, and more if it is left over.

        Args:
            memory_request: Bytes of its own.
            burst_ratio: The most it may use over its own, at least 1.
            bandwidth: Share of the time of its own; none if left out.
        """
    @classmethod
    def best_effort(cls) -> QosPolicy:
        """What is left over."""
    @property
    def qos_class(self) -> QosClass:
        """What it is promised."""
    def memory_to_reserve(self) -> int:
        """Bytes of its own."""
    def bandwidth_to_reserve(self) -> float:
        """Share of the time of its own."""

@final
class QosTaskMeta:
    """A task to be evaluated.

    Args:
        id: Its name for programs.
        name: Its name for people.
        policy: What it asks to be promised.
    """

    def __new__(cls, id: str, name: str, policy: QosPolicy) -> QosTaskMeta: ...
    @classmethod
    def guaranteed(
        cls, id: str, name: str, memory: int | str, bandwidth: float | Fraction | None = None
    ) -> QosTaskMeta:
        """A task whose memory is all its own.

        Args:
            id: Its name for programs.
            name: Its name for people.
            memory: Bytes.
            bandwidth: Share of the time of its own; none if left out.
        """
    @classmethod
    def burstable(
        cls,
        id: str,
        name: str,
        memory_request: int | str,
        burst_ratio: float,
        bandwidth: float | Fraction | None = None,
    ) -> QosTaskMeta:
        """A task that may use more than its own.

        Args:
            id: Its name for programs.
            name: Its name for people.
            memory_request: Bytes of its own.
            burst_ratio: Its limit over its request, at least 1.
            bandwidth: Share of the time of its own; none if left out.
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
    def policy(self) -> QosPolicy:
        """What it asks to be promised."""
    @property
    def qos_class(self) -> QosClass:
        """What it is promised."""
    @property
    def memory_request(self) -> int:
        """Bytes of its own."""
    @property
    def memory_limit(self) -> int | None:
        """Bytes it may use; None for no limit."""
    @property
    def burst_ratio(self) -> float:
        """Its limit over its request."""
    @property
    def bandwidth_request(self) -> float:
        """Share of the time of its own."""

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
    def reserved_bandwidth(self) -> float:
        """Share of the time that would be its own."""
    @property
    def allowed_memory(self) -> int:
        """Bytes that it could use now."""
    @property
    def allowed_bandwidth(self) -> float:
        """Share of the time that it could use now."""
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
    def reset(self) -> None:
        """Takes back everything that was promised."""

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
    def burstable_bandwidth(self) -> float:
        """Share of the time promised to burstable tasks."""
    @property
    def available_memory(self) -> int:
        """Bytes not promised."""
    @property
    def available_bandwidth(self) -> float:
        """Share of the time not promised."""
