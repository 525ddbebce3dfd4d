"""Admission control: whether a task may start, in numbers alone."""

from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar, final

__all__ = [
    "AdmissionConfig",
    "AdmissionController",
    "AdmissionDecision",
    "AdmissionStats",
    "RejectReason",
    "RejectReasonDetails",
]

@final
class AdmissionConfig:
    """What a controller decides over.

    Args:
        max_memory: Bytes that admitted tasks have together.
        max_bandwidth: Share of the time that they have together, from 0 to 1.
        max_pending_tasks: Tasks that wait.
        enable_best_effort: False to reject tasks that would have to wait.
    """

    def __new__(
        cls,
        max_memory: int | str,
        max_bandwidth: float | Fraction,
        max_pending_tasks: int = 1000,
        enable_best_effort: bool = True,
    ) -> AdmissionConfig: ...
    @property
    def max_memory(self) -> int:
        """Bytes that admitted tasks have together."""
    @property
    def max_bandwidth(self) -> float:
        """Share of the time that they have together."""
    @property
    def max_pending_tasks(self) -> int:
        """Tasks that wait."""
    @property
    def enable_best_effort(self) -> bool:
        """Whether tasks wait."""

@final
class RejectReason:
    """What there is too little of."""

    InsufficientMemory: ClassVar[RejectReason]
    InsufficientBandwidth: ClassVar[RejectReason]
    QueueFull: ClassVar[RejectReason]
    UnsatisfiableDependencies: ClassVar[RejectReason]
    Custom: ClassVar[RejectReason]
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __int__(self) -> int: ...

@final
class RejectReasonDetails:
    """Why a task is rejected, in numbers."""

    @property
    def reason_type(self) -> str:
        """The reason's name; `"BandwidthExceeded"` for `InsufficientBandwidth`."""
    @property
    def requested_memory(self) -> int | None:
        """Bytes that it asked for, if there is too little memory."""
    @property
    def available_memory(self) -> int | None:
        """Bytes that it could have had, if there is too little memory."""
    def message(self) -> str:
        """All numbers in words."""

@final
class AdmissionDecision:
    """What was decided of a task."""

    def is_admitted(self) -> bool:
        """It may start: what it asked for is its own."""
    def is_queued(self) -> bool:
        """It waits, and is admitted when what it waits for is there."""
    def is_rejected(self) -> bool:
        """It is not kept."""
    @property
    def decision_type(self) -> str:
        """`"Admit"`, `"Queue"` or `"Reject"`."""
    @property
    def reserved_memory(self) -> int:
        """Bytes that are its own."""
    @property
    def reserved_bandwidth(self) -> float:
        """Share of the time that is its own."""
    @property
    def queue_position(self) -> int | None:
        """Tasks ahead of it, if it waits for memory or time; None if not."""
    @property
    def estimated_wait_ms(self) -> float | None:
        """How long until it could start, if others run as long as those before them.

        None if it does not wait, or nothing is known yet.
        """
    def reject_reason(self) -> RejectReason | None:
        """Why it is rejected; None if it is not."""
    @property
    def rejection_reason(self) -> RejectReasonDetails | None:
        """Why it is rejected, in numbers; None if it is not."""

@final
class AdmissionStats:
    """What was decided so far, and what is reserved now."""

    @property
    def admitted_count(self) -> int:
        """Tasks that were admitted, at once or later."""
    @property
    def rejected_count(self) -> int:
        """Tasks that were rejected."""
    @property
    def queued_count(self) -> int:
        """Tasks that could not be admitted at once."""
    @property
    def pending_count(self) -> int:
        """Tasks that wait now."""
    @property
    def reserved_memory(self) -> int:
        """Bytes that admitted tasks have."""
    @property
    def used_memory(self) -> int:
        """The same."""
    @property
    def reserved_bandwidth(self) -> float:
        """Share of the time that admitted tasks have."""
    @property
    def used_bandwidth(self) -> float:
        """The same."""
    @property
    def available_memory(self) -> int:
        """Bytes that no task has."""
    @property
    def available_bandwidth(self) -> float:
        """Share of the time that no task has."""

@final
class AdmissionController:
    """Decides which tasks may start, so that together they never have more than there is.

    Args:
        config: What it decides over.
        clock: Returns the time in seconds; `time.monotonic` if left out.

    Example:
        >>> from pygpukit.compat import AdmissionConfig, AdmissionController
        >>> controller = AdmissionController(AdmissionConfig("1GiB", 1.0))
        >>> controller.try_admit("first", "768MiB", 0.5)
        <AdmissionDecision Admit>
        >>> controller.try_admit("second", "512MiB", 0.5)
        <AdmissionDecision Queue>
        >>> controller.release("first")
        >>> controller.take_promoted()
        ['second']
    """

    def __new__(
        cls, config: AdmissionConfig, clock: Callable[[], float] | None = None
    ) -> AdmissionController: ...
    def try_admit(
        self, task_id: str, memory: int | str, bandwidth: float | Fraction
    ) -> AdmissionDecision:
        """Decides on a task. One that can never have what it asks for is rejected.

        Args:
            task_id: Its name, used by none that is admitted or waits.
            memory: Bytes.
            bandwidth: Share of the time.

        Raises:
            ValueError: A task of that name is admitted or waits.
        """
    def release(self, task_id: str) -> None:
        """Takes back what a task has, or its place in the queue.

        Tasks that wait for what is free now are admitted; `take_promoted` names them.

        Args:
            task_id: Its name.

        Raises:
            ValueError: No task of that name is admitted or waits.
        """
    def take_promoted(self) -> list[str]:
        """The tasks that waited and were admitted since the last call, in order of their turn."""
    def stats(self) -> AdmissionStats:
        """What was decided, and what is reserved."""
