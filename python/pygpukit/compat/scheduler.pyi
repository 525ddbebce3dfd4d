"""Which task may run next, in numbers alone: by memory, priority and dependencies."""

from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar, final

from pygpukit.compat.admission import AdmissionDecision, AdmissionStats

__all__ = [
    "Scheduler",
    "SchedulerStats",
    "TaskMeta",
    "TaskState",
    "TaskStats",
]

@final
class TaskState:
    """How far a task has come."""

    Pending: ClassVar[TaskState]
    Running: ClassVar[TaskState]
    Completed: ClassVar[TaskState]
    Failed: ClassVar[TaskState]
    Cancelled: ClassVar[TaskState]
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __int__(self) -> int: ...

@final
class TaskMeta:
    """A task to be submitted; or, from `Scheduler.get_task`, one at a moment.

    Args:
        id: Its name for programs.
        name: Its name for people.
        memory_estimate: Bytes that are its own from its admission to its end.
        priority: Larger is more urgent.
        dependencies: Tasks that are to be done before, which were submitted before.
    """

    def __new__(
        cls,
        id: str,
        name: str,
        memory_estimate: int | str = 0,
        priority: int = 0,
        dependencies: list[str] | None = None,
    ) -> TaskMeta: ...
    @property
    def id(self) -> str:
        """Its name for programs."""
    @property
    def name(self) -> str:
        """Its name for people."""
    @property
    def memory_estimate(self) -> int:
        """Bytes that it asks for."""
    @property
    def priority(self) -> int:
        """Larger is more urgent."""
    @property
    def dependencies(self) -> list[str]:
        """Tasks that are to be done before."""
    @property
    def state(self) -> TaskState:
        """How far it had come."""
    @property
    def submitted_at(self) -> float | None:
        """When it was submitted, in seconds of the scheduler's clock."""
    @property
    def started_at(self) -> float | None:
        """When it started."""
    @property
    def completed_at(self) -> float | None:
        """When it ended, in whatever way."""
    @property
    def error(self) -> str | None:
        """Why it failed, or which dependency it was cancelled for."""
    def is_terminal(self) -> bool:
        """Whether it had ended."""
    def elapsed(self) -> float | None:
        """Seconds since its start, up to its end; None before it."""
    def duration(self) -> float | None:
        """Seconds from its start to its end; None before that."""

@final
class SchedulerStats:
    """A scheduler at one moment. Tasks that it has forgotten are counted too."""

    @property
    def total_submitted(self) -> int:
        """Tasks that were submitted and not rejected."""
    @property
    def pending_count(self) -> int:
        """Of those, the ones that have not started and may."""
    @property
    def running_count(self) -> int:
        """Tasks that run."""
    @property
    def completed_count(self) -> int:
        """Tasks that were completed."""
    @property
    def failed_count(self) -> int:
        """Tasks that failed."""
    @property
    def cancelled_count(self) -> int:
        """Tasks that were cancelled, themselves or for a dependency."""
    @property
    def reserved_memory(self) -> int:
        """Bytes that tasks have which run or may start."""
    @property
    def available_memory(self) -> int:
        """Bytes that no task has, of 2**64 - 1 without a limit."""
    @property
    def avg_wait_time(self) -> float:
        """Seconds from submission to start, of tasks that have started."""
    @property
    def avg_exec_time(self) -> float:
        """Seconds from start to end, of tasks that have ended."""

@final
class TaskStats:
    """A task at one moment."""

    @property
    def id(self) -> str:
        """Its name for programs."""
    @property
    def name(self) -> str:
        """Its name for people."""
    @property
    def state(self) -> TaskState:
        """How far it has come."""
    @property
    def wait_time(self) -> float:
        """Seconds that it has waited for its start."""
    @property
    def exec_time(self) -> float | None:
        """Seconds that it has run; None before its start."""
    @property
    def memory_used(self) -> int:
        """Bytes that are its own now."""

@final
class Scheduler:
    """Says which tasks may run, and follows them to their end. It runs nothing.

    Tasks have their memory from when they are admitted until they end. The others wait, and
    are admitted by priority, then by age. When a task fails or is cancelled, those that depend
    on it are cancelled. `pygpukit.Scheduler` is the one that runs functions on a device.

    Args:
        total_memory: Bytes that tasks have together; None for no limit.
        sched_tick_ms: Kept for scripts that pass it: tasks are admitted when something
            happens, not at ticks.
        window_ms: Likewise.
        max_pending_tasks: Tasks that wait for memory.
        max_ended_tasks: Tasks that have ended and are remembered; the oldest are forgotten, and
            then not known as dependencies.
        clock: Returns the time in seconds; `time.monotonic` if left out.

    Example:
        >>> from pygpukit.compat import Scheduler, TaskMeta
        >>> scheduler = Scheduler(total_memory="1GiB")
        >>> for task in (TaskMeta("load", "Load", "768MiB"), TaskMeta("train", "Train", "512MiB")):
        ...     print(scheduler.admit(task))
        <AdmissionDecision Admit>
        <AdmissionDecision Queue>
        >>> scheduler.get_runnable_tasks(max_tasks=10)
        ['load']
        >>> scheduler.complete_task("load")
        True
        >>> scheduler.get_runnable_tasks(max_tasks=10)
        ['train']
    """

    def __new__(
        cls,
        total_memory: int | str | None = None,
        sched_tick_ms: float | Fraction = 10.0,
        window_ms: float | Fraction = 100.0,
        max_pending_tasks: int = 10000,
        max_ended_tasks: int = 10000,
        clock: Callable[[], float] | None = None,
    ) -> Scheduler: ...
    @property
    def total_memory(self) -> int | None:
        """Bytes that tasks have together; None for no limit."""
    @property
    def sched_tick_ms(self) -> float:
        """What was given."""
    @property
    def window_ms(self) -> float:
        """What was given."""
    def submit(self, task: TaskMeta) -> str:
        """Submits a task, and returns its id.

        Args:
            task: The task.

        Raises:
            MemoryError: It asks for more than there is.
            RuntimeError: Too many tasks wait.
            ValueError: A task of that id is remembered, or what it depends on is not known,
                has failed or was cancelled.
        """
    def admit(self, task: TaskMeta) -> AdmissionDecision:
        """Submits a task, and says whether it may start. One that is rejected is not kept.

        Args:
            task: The task.

        Raises:
            ValueError: A task of that id is remembered.
        """
    def evaluate_admission(self, task: TaskMeta) -> AdmissionDecision:
        """What `admit` would say now. Changes nothing.

        Args:
            task: The task.

        Raises:
            ValueError: A task of that id is remembered.
        """
    def admission_stats(self) -> AdmissionStats:
        """What was decided, and what is reserved."""
    def get_runnable_tasks(self, max_tasks: int = 1) -> list[str]:
        """The ids of tasks that run from now on: larger priorities first, then older ones.

        Args:
            max_tasks: How many at most.
        """
    def should_run(self, task_id: str) -> bool:
        """Whether a task may start now.

        Args:
            task_id: Its id.
        """
    def start_task(self, task_id: str) -> bool:
        """Starts a task; False if it may not start.

        Args:
            task_id: Its id.
        """
    def complete_task(self, task_id: str) -> bool:
        """Ends a task that may start or runs; False for any other.

        Args:
            task_id: Its id.
        """
    def fail_task(self, task_id: str, error: str) -> bool:
        """Ends a task that has failed, and those that depend on it; False if it had ended.

        Args:
            task_id: Its id.
            error: Why.
        """
    def cancel_task(self, task_id: str) -> bool:
        """Ends a task, and those that depend on it; False if it had ended.

        Args:
            task_id: Its id.
        """
    def get_task(self, task_id: str) -> TaskMeta | None:
        """A task at this moment; None if it is not remembered.

        Args:
            task_id: Its id.
        """
    def get_task_state(self, task_id: str) -> TaskState | None:
        """How far a task has come; None if it is not remembered.

        Args:
            task_id: Its id.
        """
    def task_stats(self, task_id: str) -> TaskStats | None:
        """A task in numbers; None if it is not remembered.

        Args:
            task_id: Its id.
        """
    def stats(self) -> SchedulerStats:
        """The scheduler in numbers."""
    def clear(self) -> None:
        """Forgets all tasks, and begins to count anew."""
