"""Schedulers: functions that share a device.

A task says what it needs; it starts when that is there. Quantities are written as

- bytes: an integer, or text such as `"512MB"` (powers of 1000) or `"1.5GiB"` (of 1024);
- shares: a number from 0 to 1, or a `fractions.Fraction`;
- durations: seconds as a number, a `timedelta`, or text such as `"500us"`.
"""

from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future
from datetime import timedelta
from fractions import Fraction
from os import PathLike
from types import GenericAlias, TracebackType
from typing import Any, Generic, Literal, TypeVar, final, overload

from typing_extensions import Never, Self

from pygpukit.device import Device

__all__ = ["Admission", "Scheduler", "SchedulerStats", "Task", "TaskStats"]

_T = TypeVar("_T")

@final
class Scheduler:
    """Runs functions on a device when what they ask for is there.

    All schedulers on a device share its one ledger: together their tasks never reserve
    more than the device has. `with Scheduler(..) as s:` waits for the tasks at the end.

    Tasks start in order of policy (guaranteed, burstable, best effort), priority,
    deadline and arrival; after ten minutes a task goes ahead of all that have waited
    less. A task passes one that waits only if it asks for nothing that the other waits
    for.

    When the interpreter ends, tasks that wait are cancelled, and those that run are left
    behind: close the scheduler to have them finish.

    Args:
        device: A `Device`, its name, or the number of a CUDA device; the current device
            if left out.
        memory: The most memory that tasks of this scheduler may hold together; no limit
            but the device's if left out.
        log: A file to write every event and decision of the device to. It can begin only
            while the device has no tasks, and replays to the same decisions.

    Raises:
        DeviceNotAvailable: The device cannot be used; the message says why.
        ValueError: `memory` is 0 or more than the device has; or a log, and there are tasks.

    Example:
        >>> import pygpukit as gp
        >>> def double(n: int) -> gp.GPUArray:
        ...     return gp.ones(n) * 2
        >>> with gp.Scheduler("cpu") as scheduler:
        ...     task = scheduler.submit(double, 3, memory="1MB", bandwidth=0.2)
        >>> task.result().tolist()
        [2.0, 2.0, 2.0]
        >>> scheduler.stats(task).policy
        'burstable'
    """

    def __new__(
        cls,
        device: Device | str | int | None = None,
        *,
        memory: int | str | None = None,
        log: str | PathLike[str] | None = None,
    ) -> Scheduler: ...
    @property
    def device(self) -> Device:
        """The device it schedules."""
    def submit(
        self,
        fn: Callable[..., _T],
        /,
        *args: Any,
        kwargs: Mapping[str, Any] | None = None,
        memory: int | str | tuple[int | str, int | str | None] | None = None,
        bandwidth: float
        | Fraction
        | tuple[float | Fraction, float | Fraction | None]
        | None = None,
        policy: Literal["guaranteed", "burstable", "best_effort"] | None = None,
        priority: int = 0,
        weight: int = 1,
        deadline: float | Fraction | timedelta | str | None = None,
        partition: None = None,
        evictable: bool = False,
        queue_timeout: float | Fraction | timedelta | str | None = None,
        on_full: Literal["queue", "reject"] = "queue",
        name: str | None = None,
        **unknown: Never,
    ) -> Task[_T]:
        """Has a function run as a task.

        The function runs on a worker thread, in a copy of the caller's `contextvars`
        context, with a stream of its own as the current one. What it allocates is charged
        to the task: more than its limit raises `MemoryError`. The task is done when the
        function has returned and all that it queued has completed; arrays that it returned
        stay charged to it until they are dropped.

        Never raises for want of resources: see `Task.admission`.

        Args:
            fn: The function.
            *args: Its positional arguments.
            kwargs: Its keyword arguments.
            memory: Memory that is the task's own: one amount, or `(request, limit)`. What
                is used between the two is taken from what is left over.
            bandwidth: Share of the device's time that is the task's own: a floor, or
                `(floor, cap)`. It is reserved and reported, not enforced.
            policy: `"guaranteed"`: all it asks for is its own. `"burstable"`, the default
                for tasks that ask for something: its request is its own, and up to its
                limit it uses what is left over. `"best_effort"`, the default for others: it
                uses what is left over.
            priority: Larger is more urgent. (In CUDA smaller is.)
            weight: Its part of what is left over, against others'. Reported, not enforced.
            deadline: The time from now by which it should be done. It orders tasks of the
                same priority; `TaskStats.missed_deadline` tells.
            partition: None.
            evictable: True if its idle arrays may be moved to the host. Reported only.
            queue_timeout: The longest time to wait in the queue.
            on_full: `"reject"` to be rejected rather than wait.
            name: A name for people.
            **unknown: There are no others.

        Raises:
            ValueError: Options that contradict each other, or are out of range.
            TypeError: Options of the wrong type, or that there are not.
            SchedulerClosed: The scheduler takes no more tasks.
        """
    @overload
    def stats(self, task: None = None) -> SchedulerStats: ...
    @overload
    def stats(self, task: Task[Any] | int) -> TaskStats:
        """How things stand now: of the device's scheduler, or of one task.

        Args:
            task: A task or its id.

        Raises:
            ValueError: No task of that id waits, runs or is held by anybody.
        """
    def close(self, wait: bool = True, cancel_pending: bool = False) -> None:
        """Takes no more tasks. May be called again.

        Args:
            wait: True to wait until all tasks are done. The GIL is released, and Ctrl-C
                ends the wait.
            cancel_pending: True to cancel the tasks that wait.

        Raises:
            ValueError: Called to wait from inside a task of this scheduler; or the log
                could not be written.
        """
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc: BaseException | None = None,
        traceback: TracebackType | None = None,
        /,
    ) -> None: ...

@final
class Task(Generic[_T]):
    """A function that was submitted to a scheduler.

    It has the methods and exceptions of `concurrent.futures.Future`, and `await task`
    works. Cancelling the awaiter cancels the task.
    """

    @property
    def id(self) -> int:
        """A number that no other task of the device has."""
    @property
    def name(self) -> str | None:
        """The name for people."""
    @property
    def state(
        self,
    ) -> Literal["queued", "running", "completed", "failed", "cancelled", "rejected"]:
        """How far it is."""
    @property
    def admission(self) -> Admission:
        """The answer when it was submitted. It does not change."""
    @classmethod
    def __class_getitem__(cls, item: Any) -> GenericAlias: ...
    def result(self, timeout: float | None = None) -> _T:
        """Waits, and returns what the function returned.

        The GIL is released, and Ctrl-C ends the wait.

        Args:
            timeout: The longest time to wait, in seconds.

        Raises:
            concurrent.futures.TimeoutError: It is not done.
            concurrent.futures.CancelledError: It was cancelled before it started.
            AdmissionRejected: It was rejected.
            RuntimeError: Called by a task that would wait for ever.
            DeviceFault: What it queued failed on the device.
            BaseException: What the function raised.
        """
    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Waits, and returns what `result` would raise; None if it would not.

        Args:
            timeout: The longest time to wait, in seconds.

        Raises:
            concurrent.futures.TimeoutError: It is not done.
            concurrent.futures.CancelledError: It was cancelled before it started.
        """
    def done(self) -> bool:
        """True if it is over, however it ended."""
    def running(self) -> bool:
        """True if it has started and is not over."""
    def cancelled(self) -> bool:
        """True if it was cancelled before it started."""
    def cancel(self) -> bool:
        """Keeps it from starting; True if it has not.

        A task that runs can queue no more work: operations in it raise `TaskCancelled`.
        """
    def add_done_callback(self, callback: Callable[[Task[_T]], object]) -> None:
        """Calls a function when it is over; at once if it is.

        Args:
            callback: Called with the task, on any thread. What it raises is reported by
                `sys.unraisablehook`.
        """
    def future(self) -> Future[_T]:
        """The task as a `concurrent.futures.Future`: always the same one.

        Cancelling it cancels the task.
        """
    def __await__(self) -> Generator[Any, None, _T]: ...

@final
class Admission:
    """The answer to a task when it was submitted."""

    @property
    def state(self) -> Literal["admitted", "queued", "rejected"]:
        """The answer in one word."""
    @property
    def reason(self) -> str | None:
        """Why it was rejected, in words."""
    @property
    def asked(self) -> int | float | None:
        """What it was rejected for: bytes, a share, or a number of tasks."""
    @property
    def available(self) -> int | float | None:
        """How much of that was available to it."""
    @property
    def limit(self) -> int | float | None:
        """How much of that there is in all."""
    @property
    def position(self) -> int | None:
        """Tasks ahead of it in the queue."""
    @property
    def earliest_start(self) -> float | None:
        """Seconds after which it could start; None if that cannot be said.

        A guess: it supposes that running tasks take as long as those before them, and
        that none overtakes it.
        """
    @property
    def waits_for(self) -> list[Literal["memory", "compute", "bandwidth", "workers"]]:
        """What there was too little of."""

@final
class SchedulerStats:
    """A device's scheduler at one moment: all tasks, and work outside tasks.

    Memory is in bytes.
    """

    @property
    def total_memory(self) -> int:
        """What the device has."""
    @property
    def memory_limit(self) -> int:
        """What tasks of this scheduler may hold together."""
    @property
    def reserved_memory(self) -> int:
        """What running tasks reserved."""
    @property
    def borrowed_memory(self) -> int:
        """What running tasks and work outside tasks use beyond that."""
    @property
    def returned_memory(self) -> int:
        """What arrays of ended tasks hold."""
    @property
    def available_memory(self) -> int:
        """What nobody holds."""
    @property
    def reserved_bandwidth(self) -> float:
        """Share of the time that running tasks reserved."""
    @property
    def available_bandwidth(self) -> float:
        """Share of the time that is not reserved."""
    @property
    def enforced(self) -> bool:
        """True if bandwidth is enforced, not only reserved."""
    @property
    def workers(self) -> int:
        """Tasks that may run at once."""
    @property
    def running(self) -> int:
        """Tasks that run."""
    @property
    def queued(self) -> int:
        """Tasks that wait."""
    @property
    def unfinished(self) -> int:
        """Tasks of this scheduler that wait or run."""
    @property
    def submitted(self) -> int:
        """Tasks submitted so far."""
    @property
    def completed(self) -> int:
        """Tasks that ended well."""
    @property
    def failed(self) -> int:
        """Tasks that failed."""
    @property
    def cancelled(self) -> int:
        """Tasks cancelled before they started."""
    @property
    def rejected(self) -> int:
        """Tasks rejected, at once or after waiting too long."""
    def as_dict(self) -> dict[str, Any]:
        """The same as a dictionary."""

@final
class TaskStats:
    """A task at one moment. Memory is in bytes, times are in seconds."""

    @property
    def id(self) -> int:
        """The task's number."""
    @property
    def name(self) -> str | None:
        """Its name for people."""
    @property
    def state(
        self,
    ) -> Literal["queued", "running", "completed", "failed", "cancelled", "rejected"]:
        """How far it is."""
    @property
    def policy(self) -> Literal["guaranteed", "burstable", "best_effort"]:
        """What it is promised."""
    @property
    def priority(self) -> int:
        """Larger is more urgent."""
    @property
    def weight(self) -> int:
        """Its part of what is left over."""
    @property
    def evictable(self) -> bool:
        """True if its idle arrays may be moved to the host."""
    @property
    def position(self) -> int | None:
        """Tasks ahead of it, while it waits."""
    @property
    def waits_for(self) -> list[Literal["memory", "compute", "bandwidth", "workers"]]:
        """What there is too little of, while it waits."""
    @property
    def memory_request(self) -> int:
        """What it reserves."""
    @property
    def memory_limit(self) -> int | None:
        """What it may use at most; None for no limit but the device's."""
    @property
    def held_memory(self) -> int:
        """What is granted to it now."""
    @property
    def borrowed_memory(self) -> int:
        """How much of that is beyond its request."""
    @property
    def used_memory(self) -> int:
        """What its arrays take now."""
    @property
    def bandwidth(self) -> float:
        """Share of the time that it reserves."""
    @property
    def bandwidth_cap(self) -> float:
        """Share of the time that it may use at most."""
    @property
    def enforced(self) -> bool:
        """True if bandwidth is enforced, not only reserved."""
    @property
    def waited(self) -> float:
        """How long it waited, so far or in all."""
    @property
    def ran(self) -> float | None:
        """How long it ran, so far or in all; None if it has not started."""
    @property
    def missed_deadline(self) -> bool | None:
        """True if it was not done by its deadline; None without one."""
    def as_dict(self) -> dict[str, Any]:
        """The same as a dictionary."""
