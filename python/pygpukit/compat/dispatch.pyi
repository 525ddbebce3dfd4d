"""Launches queued by stream, handed out once, and followed to their end."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import ClassVar, final

__all__ = [
    "DispatchStats",
    "KernelDispatcher",
    "KernelLaunchRequest",
    "KernelState",
    "LaunchConfig",
]

@final
class LaunchConfig:
    """How a kernel is to be launched.

    Args:
        grid: Blocks along x, y, z.
        block: Threads of a block along x, y, z.
        shared_mem: Bytes of dynamic shared memory.
        stream_id: Which stream.
    """

    def __new__(
        cls,
        grid: int | Sequence[int] = (1, 1, 1),
        block: int | Sequence[int] = (256, 1, 1),
        shared_mem: int = 0,
        stream_id: int = 0,
    ) -> LaunchConfig: ...
    @classmethod
    def linear(cls, n_elements: int, block_size: int = 256) -> LaunchConfig:
        """With a thread along x for each element; with no blocks for no elements.

        Args:
            n_elements: How many elements.
            block_size: Threads of a block.

        Raises:
            ValueError: A block has no threads, or the elements take more blocks than a grid has.
        """
    @classmethod
    def grid_2d(cls, grid_x: int, grid_y: int, block_x: int, block_y: int) -> LaunchConfig:
        """With blocks in two dimensions.

        Args:
            grid_x: Blocks along x.
            grid_y: Blocks along y.
            block_x: Threads of a block along x.
            block_y: Threads of a block along y.
        """
    @property
    def grid(self) -> tuple[int, int, int]:
        """Blocks along x, y, z."""
    @property
    def block(self) -> tuple[int, int, int]:
        """Threads of a block along x, y, z."""
    @property
    def shared_mem(self) -> int:
        """Bytes of dynamic shared memory. Can be set."""
    @shared_mem.setter
    def shared_mem(self, value: int) -> None: ...
    @property
    def stream_id(self) -> int:
        """Which stream. Can be set."""
    @stream_id.setter
    def stream_id(self, value: int) -> None: ...

@final
class KernelState:
    """How far a launch has come. An end is final."""

    Queued: ClassVar[KernelState]
    Launched: ClassVar[KernelState]
    Completed: ClassVar[KernelState]
    Failed: ClassVar[KernelState]
    Cancelled: ClassVar[KernelState]
    def is_terminal(self) -> bool:
        """True for an end."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __int__(self) -> int: ...

@final
class KernelLaunchRequest:
    """A launch at one moment. Times are seconds of the dispatcher's clock."""

    @property
    def id(self) -> int:
        """Its name, from 1."""
    @property
    def kernel_handle(self) -> int:
        """Which kernel."""
    @property
    def config(self) -> LaunchConfig:
        """How it is to be launched, as it was when it was queued."""
    @property
    def args(self) -> list[int]:
        """Its arguments."""
    @property
    def state(self) -> KernelState:
        """How far it has come."""
    @property
    def task_id(self) -> str | None:
        """Whose it is."""
    @property
    def priority(self) -> int:
        """More is more urgent."""
    @property
    def queued_at(self) -> float:
        """When it was queued."""
    @property
    def launched_at(self) -> float | None:
        """When it was launched, if it was."""
    @property
    def completed_at(self) -> float | None:
        """When it came to its end, if it did."""
    @property
    def error(self) -> str | None:
        """What happened, if it failed."""
    def duration(self) -> float | None:
        """Seconds from its launch to its end, if it had both."""

@final
class DispatchStats:
    """A dispatcher at one moment. Counts of what has happened never go down."""

    @property
    def total_queued(self) -> int:
        """Launches that were queued."""
    @property
    def completed_count(self) -> int:
        """Launches that have run."""
    @property
    def failed_count(self) -> int:
        """Launches that failed."""
    @property
    def cancelled_count(self) -> int:
        """Launches that were cancelled."""
    @property
    def pending_count(self) -> int:
        """Launches that have not been launched and not come to an end."""
    @property
    def in_flight_count(self) -> int:
        """Launches that run."""
    @property
    def avg_exec_time(self) -> float:
        """Seconds that those that have run did run, on average."""
    @property
    def launches_per_stream(self) -> dict[int, int]:
        """How many were launched on each stream."""

@final
class KernelDispatcher:
    """Hands out launches stream by stream: the most urgent first, the oldest of those.

    Each is handed out once, and has its place on its stream from then to its end. Who waits
    for a place is not overtaken by something less urgent.

    Args:
        max_in_flight: Launches that have a place on a stream, at most.
        max_in_flight_ms: Milliseconds that those are predicted to take together, at most; a
            launch that is longer has its stream alone. None for no limit.
        clock: Returns the time in seconds; `time.monotonic` if left out.

    Example:
        >>> from pygpukit.compat import KernelDispatcher, LaunchConfig
        >>> dispatcher = KernelDispatcher()
        >>> dispatcher.queue(7, LaunchConfig.linear(1000), args=[0x1000])
        1
        >>> [request] = dispatcher.get_ready(4)
        >>> dispatcher.mark_launched(request.id), dispatcher.mark_completed(request.id)
        (True, True)
    """

    def __new__(
        cls,
        max_in_flight: int = 4,
        max_in_flight_ms: float | Fraction | None = None,
        clock: Callable[[], float] | None = None,
    ) -> KernelDispatcher: ...
    def queue(
        self,
        kernel_handle: int,
        config: LaunchConfig,
        args: Sequence[int] | None = None,
        task_id: str | None = None,
        priority: int = 0,
        predicted_ms: float | Fraction = 0.0,
    ) -> int:
        """Queues a launch; returns its id.

        Args:
            kernel_handle: Which kernel.
            config: How it is to be launched, and on which stream.
            args: Its arguments.
            task_id: Whose it is.
            priority: More is more urgent.
            predicted_ms: Milliseconds that it is predicted to take.
        """
    def queue_for_task(
        self,
        task_id: str,
        kernel_handle: int,
        config: LaunchConfig,
        args: Sequence[int] | None = None,
    ) -> int:
        """Queues a launch of a task; returns its id.

        Args:
            task_id: Whose it is.
            kernel_handle: Which kernel.
            config: How it is to be launched, and on which stream.
            args: Its arguments.
        """
    def get_ready(self, max_requests: int) -> list[KernelLaunchRequest]:
        """Hands out launches that have a place on their stream.

        Args:
            max_requests: How many, at most.
        """
    def mark_launched(self, request_id: int) -> bool:
        """A launch was launched.

        Args:
            request_id: Which.

        Returns:
            False if it was launched before, has come to its end, has no place on its stream,
            or there is none.
        """
    def mark_completed(self, request_id: int) -> bool:
        """A launch has run; False if it does not run.

        Args:
            request_id: Which.
        """
    def mark_failed(self, request_id: int, error: str) -> bool:
        """A launch failed; False if it came to its end before, or there is none.

        Args:
            request_id: Which.
            error: What happened.
        """
    def cancel(self, request_id: int) -> bool:
        """A launch is not to run; False if it runs, came to its end before, or there is none.

        Args:
            request_id: Which.
        """
    def get_request(self, request_id: int) -> KernelLaunchRequest | None:
        """A launch; None if there is none.

        Args:
            request_id: Which.
        """
    def get_in_flight(self, stream_id: int) -> list[KernelLaunchRequest]:
        """The launches that run on a stream, the oldest first.

        Args:
            stream_id: Which stream.
        """
    def get_requests_for_task(self, task_id: str) -> list[KernelLaunchRequest]:
        """The launches of a task, the oldest first.

        Args:
            task_id: Whose.
        """
    def has_pending_work(self) -> bool:
        """Whether any launch has not come to its end."""
    def stats(self) -> DispatchStats:
        """The dispatcher in numbers."""
    def gc(self) -> int:
        """Forgets the launches that have come to their end; returns how many. Counts stay."""
    def clear(self) -> None:
        """Forgets all launches, and begins to count anew. No id is used again."""
