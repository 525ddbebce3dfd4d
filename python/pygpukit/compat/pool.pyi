"""A pool of memory with a quota: decisions in numbers alone."""

from typing import final

__all__ = [
    "MemoryPool",
    "PoolStats",
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
