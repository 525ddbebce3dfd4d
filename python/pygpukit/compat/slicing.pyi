"""Kernels over a number of items, run slice by slice."""

from collections.abc import Sequence
from fractions import Fraction
from typing import final

__all__ = [
    "KernelSlice",
    "SliceConfig",
    "SliceInfo",
    "SliceScheduler",
    "SliceStats",
]

@final
class SliceConfig:
    """How kernels are sliced. The number of slices goes before their size.

    Args:
        max_items_per_slice: Items of a slice, at most; but a slice has at least one block.
        max_duration_ms: Milliseconds that a slice may take.
        min_slices: Slices of a kernel, at least, if it has as many blocks.
        max_slices: Slices of a kernel, at most.
        adaptive: True to cut kernels smaller whose blocks were seen to take longer than
            `max_duration_ms` allows.

    Raises:
        ValueError: Something is 0, or `min_slices` is more than `max_slices`.
    """

    def __new__(
        cls,
        max_items_per_slice: int = 65536,
        max_duration_ms: float | Fraction = 1.0,
        min_slices: int = 1,
        max_slices: int = 256,
        adaptive: bool = True,
    ) -> SliceConfig: ...
    @property
    def max_items_per_slice(self) -> int:
        """Items of a slice, at most."""
    @property
    def max_duration_ms(self) -> float:
        """Milliseconds that a slice may take."""
    @property
    def min_slices(self) -> int:
        """Slices of a kernel, at least."""
    @property
    def max_slices(self) -> int:
        """Slices of a kernel, at most."""
    @property
    def adaptive(self) -> bool:
        """Whether durations that were measured count."""

@final
class SliceInfo:
    """A slice to be launched."""

    @property
    def kernel_handle(self) -> int:
        """Which kernel."""
    @property
    def block(self) -> tuple[int, int, int]:
        """Threads of a block."""
    @property
    def shared_mem(self) -> int:
        """Bytes of dynamic shared memory."""
    @property
    def slice_id(self) -> int:
        """Its number within its kernel, from 0."""
    @property
    def offset(self) -> int:
        """Its first item, a whole number of blocks from the kernel's first."""
    @property
    def count(self) -> int:
        """Its items: whole blocks of them, but for the kernel's last."""
    @property
    def grid(self) -> tuple[int, int, int]:
        """Blocks to launch."""
    @property
    def task_id(self) -> str | None:
        """Whose it is."""
    @property
    def priority(self) -> int:
        """More is more urgent."""

@final
class KernelSlice:
    """A slice that has run."""

    @property
    def id(self) -> int:
        """Its number within its kernel, from 0."""
    @property
    def offset(self) -> int:
        """Its first item."""
    @property
    def count(self) -> int:
        """Its items."""
    @property
    def grid(self) -> tuple[int, int, int]:
        """Its blocks."""
    @property
    def executed(self) -> bool:
        """True."""
    @property
    def exec_time_ms(self) -> float:
        """Milliseconds that it took."""

@final
class SliceStats:
    """A scheduler at one moment."""

    @property
    def total_slices(self) -> int:
        """Slices that have run or are to run."""
    @property
    def completed_slices(self) -> int:
        """Slices that have run."""
    @property
    def pending_slices(self) -> int:
        """Slices that are to run."""
    @property
    def total_kernels(self) -> int:
        """Kernels that have run or are to run."""
    @property
    def completed_kernels(self) -> int:
        """Kernels of which all slices have run."""
    @property
    def pending_kernels(self) -> int:
        """Kernels of which a slice is to run."""

@final
class SliceScheduler:
    """Runs kernels slice by slice, one slice at a time.

    All slices of the most urgent kernel go first; kernels that are equally urgent take
    turns. A slice that was handed out stays the one to run until it is completed.

    Args:
        config: How kernels are sliced.

    Example:
        >>> from pygpukit.compat import SliceConfig, SliceScheduler
        >>> scheduler = SliceScheduler(SliceConfig(max_items_per_slice=1000))
        >>> scheduler.submit(7, 1999, (100, 1, 1))
        2
        >>> scheduler.get_next_slice()
        <SliceInfo 0 of kernel 7: 1000 items from 0>
        >>> scheduler.complete_slice(0.5).exec_time_ms
        0.5
    """

    def __new__(cls, config: SliceConfig | None = None) -> SliceScheduler: ...
    def submit(
        self,
        kernel_handle: int,
        total_items: int,
        block: int | Sequence[int],
        shared_mem: int = 0,
    ) -> int:
        """Takes a kernel.

        Args:
            kernel_handle: Which kernel.
            total_items: Items, one for each thread along x.
            block: Threads of a block.
            shared_mem: Bytes of dynamic shared memory.

        Returns:
            Into how many slices it is cut; none for a kernel without items, which has then
            been completed.

        Raises:
            ValueError: A block has no threads, or the items take more blocks than a grid has.
        """
    def submit_for_task(
        self,
        task_id: str,
        kernel_handle: int,
        total_items: int,
        block: int | Sequence[int],
        shared_mem: int = 0,
        priority: int = 0,
    ) -> int:
        """Takes a kernel of a task.

        Args:
            task_id: Whose it is.
            kernel_handle: Which kernel.
            total_items: Items, one for each thread along x.
            block: Threads of a block.
            shared_mem: Bytes of dynamic shared memory.
            priority: More is more urgent.

        Returns:
            Into how many slices it is cut.

        Raises:
            ValueError: A block has no threads, or the items take more blocks than a grid has.
        """
    def get_next_slice(self) -> SliceInfo | None:
        """The slice that is to run: the same one until it is completed; None if nothing is to run."""
    def complete_slice(self, exec_time_ms: float | Fraction) -> KernelSlice:
        """The slice that was to run has.

        Args:
            exec_time_ms: Milliseconds that it took.

        Raises:
            RuntimeError: None was to run.
        """
    def pending_slices(self) -> int:
        """Slices that are to run."""
    def pending_kernels(self) -> int:
        """Kernels of which a slice is to run."""
    def stats(self) -> SliceStats:
        """The scheduler in numbers."""
    def clear(self) -> None:
        """Forgets all kernels, and the slice that was to run."""
    def config(self) -> SliceConfig:
        """How kernels are sliced."""
