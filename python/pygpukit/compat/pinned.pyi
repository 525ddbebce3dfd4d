"""Pinned (page-locked) host memory within a quota: decisions in numbers alone."""

from collections.abc import Callable
from typing import final

__all__ = [
    "PinnedBlock",
    "PinnedMemoryManager",
    "PinnedPoolConfig",
    "PinnedStats",
]

@final
class PinnedPoolConfig:
    """How much may be pinned.

    Args:
        max_size: The most bytes, in use and kept for reuse together.
        enable_pooling: True to keep what is freed.
        alignment: What addresses are multiples of: a power of two.
    """

    def __new__(
        cls,
        max_size: int | str = 1073741824,
        enable_pooling: bool = True,
        alignment: int | str = 256,
    ) -> PinnedPoolConfig: ...
    @property
    def max_size(self) -> int:
        """The most bytes, in use and kept for reuse together."""
    @property
    def enable_pooling(self) -> bool:
        """Whether what is freed is kept."""
    @property
    def alignment(self) -> int:
        """What addresses are multiples of."""
    def get_size_class(self, size: int | str) -> int:
        """Bytes of the block that serves a request.

        Whole pages of 4096 bytes, or multiples of a larger alignment; one of four sizes to
        each power of two, so a quarter too large at most.

        Args:
            size: Bytes asked for.

        Raises:
            MemoryError: There is no such number of bytes.
        """

@final
class PinnedBlock:
    """A block in use, at one moment. Times are seconds of the manager's clock."""

    @property
    def id(self) -> int:
        """Its name, from 1."""
    @property
    def host_ptr(self) -> int | None:
        """Where its memory is; None until it is registered."""
    @property
    def size(self) -> int:
        """How many bytes it has."""
    @property
    def task_id(self) -> str | None:
        """Whose it is."""
    @property
    def allocated_at(self) -> float:
        """Since when it is in use."""
    @property
    def last_access(self) -> float:
        """When it was last touched, or else allocated."""

@final
class PinnedStats:
    """A manager at one moment."""

    @property
    def total_allocated(self) -> int:
        """Bytes in use and kept."""
    @property
    def current_used(self) -> int:
        """Bytes in use."""
    @property
    def peak_used(self) -> int:
        """The most bytes that ever were in use."""
    @property
    def total_allocations(self) -> int:
        """Blocks that were ever given."""
    @property
    def total_frees(self) -> int:
        """Blocks that were freed."""
    @property
    def pool_hits(self) -> int:
        """Blocks that got memory that was kept."""
    @property
    def pool_misses(self) -> int:
        """Blocks that did not."""
    @property
    def pool_size(self) -> int:
        """Bytes that are kept."""
    @property
    def pooled_blocks(self) -> int:
        """Pieces of memory that are kept."""
    def hit_rate(self) -> float:
        """Blocks that got memory that was kept, among all; 0.0 without any."""

@final
class PinnedMemoryManager:
    """Hands out blocks of pinned memory within a quota, and keeps freed memory for reuse.

    It pins nothing: the caller pins memory for a block that is not reused and registers it,
    or frees the block if that fails. What is kept counts until `trim_pool` or `clear_pool`
    gives it up.

    Args:
        config: How much may be pinned; the defaults of `PinnedPoolConfig` if left out.
        clock: Returns the time in seconds; `time.monotonic` if left out.

    Example:
        >>> from pygpukit.compat import PinnedMemoryManager
        >>> manager = PinnedMemoryManager.with_max_size("1MiB")
        >>> block, size, reused = manager.allocate(10_000)
        >>> size, reused
        (12288, False)
        >>> manager.register(block, 0x7F0000000000, size)
        >>> manager.free(block) == (False, 0x7F0000000000)
        True
        >>> manager.allocate(10_000)
        (2, 12288, True)
    """

    def __new__(
        cls, config: PinnedPoolConfig | None = None, clock: Callable[[], float] | None = None
    ) -> PinnedMemoryManager: ...
    @classmethod
    def with_max_size(
        cls, max_size: int | str, clock: Callable[[], float] | None = None
    ) -> PinnedMemoryManager:
        """A manager that is otherwise as usual.

        Args:
            max_size: The most bytes, in use and kept together.
            clock: Returns the time in seconds; `time.monotonic` if left out.
        """
    def can_allocate(self, size: int | str) -> bool:
        """Whether `allocate` would give a block now.

        Args:
            size: Bytes.
        """
    def allocate(self, size: int | str) -> tuple[int, int, bool]:
        """Gives a block of at least that size.

        Args:
            size: Bytes.

        Returns:
            Its id, which is never used again; how many bytes it has; and whether it has
            memory, so that none is to be registered.

        Raises:
            MemoryError: There is no room; the message says until when.
        """
    def register(self, block_id: int, host_ptr: int, size: int | str) -> None:
        """Says where the memory of a block is.

        Args:
            block_id: Which.
            host_ptr: Address of its first byte.
            size: How many bytes it has: no fewer than the block.

        Raises:
            ValueError: There is no such block, it has memory, or this cannot be its memory:
                it is too small, not aligned, or at address 0.
        """
    def free(self, block_id: int) -> tuple[bool, int | None]:
        """Takes a block back.

        Args:
            block_id: Which.

        Returns:
            Whether the caller is to unpin its memory, and where that is; None if the block
            never got any.

        Raises:
            ValueError: There is no such block.
        """
    def associate_task(self, block_id: int, task_id: str) -> None:
        """Says whose a block is; it is nobody else's from then on.

        Args:
            block_id: Which.
            task_id: Whose.

        Raises:
            ValueError: There is no such block.
        """
    def get(self, block_id: int) -> PinnedBlock | None:
        """A block in use; None if there is none.

        Args:
            block_id: Which.
        """
    def touch(self, block_id: int) -> None:
        """Says that a block is used now.

        Args:
            block_id: Which.

        Raises:
            ValueError: There is no such block.
        """
    def get_blocks_for_task(self, task_id: str) -> list[PinnedBlock]:
        """The blocks of a task, the oldest first.

        Args:
            task_id: Whose.
        """
    def free_task_blocks(self, task_id: str) -> list[tuple[bool, int | None]]:
        """Takes all blocks of a task back, the oldest first; returns what `free` does for each.

        Args:
            task_id: Whose.
        """
    def trim_pool(self, size: int | str) -> list[int]:
        """Gives up memory that is kept, the oldest first; returns what the caller is to unpin.

        Args:
            size: Bytes, at least; less if less is kept.
        """
    def clear_pool(self) -> list[int]:
        """Gives up all memory that is kept; returns what the caller is to unpin."""
    def clear(self) -> list[int]:
        """Forgets all blocks too, and begins to count anew; returns what the caller is to unpin.

        No id is used again.
        """
    def active_count(self) -> int:
        """How many blocks are in use."""
    def stats(self) -> PinnedStats:
        """The manager in numbers."""
