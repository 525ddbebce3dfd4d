"""A pool of memory with a quota: decisions in numbers alone."""

from collections.abc import Callable
from fractions import Fraction
from typing import final

__all__ = [
    "MemoryBlock",
    "MemoryPool",
    "PoolStats",
]

@final
class MemoryPool:
    """Hands out blocks of memory within a quota, and keeps freed ones for reuse.

    It owns no memory: what a block's is, its user says. What is in use and what is kept
    together never exceed the quota; what is kept is given up when a request needs its room.

    A block whose device memory was named stays until the user evicts it, since the pool can
    neither copy nor free that memory.

    Args:
        quota: The most bytes.
        enable_eviction: True to evict other blocks, the longest unused first, when a request
            needs their room.
        clock: Returns the time in seconds; `time.monotonic` if left out.

    Example:
        >>> from pygpukit.compat import MemoryPool
        >>> pool = MemoryPool(quota="1MiB", enable_eviction=True)
        >>> block = pool.allocate(4096)
        >>> pool.used
        4096
    """

    def __new__(
        cls,
        quota: int | str,
        enable_eviction: bool = False,
        clock: Callable[[], float | Fraction] | None = None,
    ) -> MemoryPool: ...
    @property
    def quota(self) -> int:
        """The most that may be in use and kept together."""
    @property
    def used(self) -> int:
        """In blocks on the device, each rounded up to its size class."""
    @property
    def cached(self) -> int:
        """Taken, and in no block now."""
    @property
    def available(self) -> int:
        """In no block on the device.

        A single block of that size may be refused while these bytes lie in pieces; the
        refusal says how large a block would not be.
        """
    def allocate(self, size: int | str) -> int:
        """Takes a block of at least that size; returns its id, which is never used again.

        Args:
            size: Bytes.

        Raises:
            MemoryError: There is no room; the message says for how much there is.
        """
    def free(self, block_id: int) -> None:
        """Takes a block back, wherever it is, and forgets what was said of it.

        Args:
            block_id: Of the block.

        Raises:
            ValueError: There is no such block.
        """
    def touch(self, block_id: int) -> None:
        """Notes that a block is used now.

        Args:
            block_id: Of the block.

        Raises:
            ValueError: There is no such block.
        """
    def evict(self, block_id: int) -> None:
        """Takes a block's device memory back. Its user has copied it and freed it.

        Args:
            block_id: Of a block on the device.

        Raises:
            ValueError: There is no such block, or it is evicted already.
        """
    def restore(self, block_id: int) -> None:
        """Gives an evicted block device memory again, whose address its user names then.

        Args:
            block_id: Of an evicted block.

        Raises:
            ValueError: There is no such block, or it is not evicted.
            MemoryError: There is no room; the message says for how much there is.
        """
    def get_block(self, block_id: int) -> MemoryBlock | None:
        """A block as it is now; None if there is no such block.

        Args:
            block_id: Of the block.
        """
    def get_block_size(self, block_id: int) -> int | None:
        """Bytes that a block takes; None if there is no such block.

        Args:
            block_id: Of the block.
        """
    def is_block_on_gpu(self, block_id: int) -> bool:
        """True for a block with device memory.

        Args:
            block_id: Of the block.
        """
    def set_device_ptr(self, block_id: int, ptr: int) -> None:
        """Names a block's device memory. From now on only `evict` moves the block.

        Args:
            block_id: Of a block on the device.
            ptr: The address.

        Raises:
            ValueError: There is no such block, or it is evicted.
        """
    def set_host_data(self, block_id: int, data: bytes | bytearray) -> None:
        """Keeps a copy of what a block holds.

        Args:
            block_id: Of the block.
            data: The copy, at most as large as the block.

        Raises:
            ValueError: There is no such block, or it is smaller.
        """
    def get_host_data(self, block_id: int) -> bytes | None:
        """The copy of what a block holds; None if there is none.

        Args:
            block_id: Of the block.

        Raises:
            ValueError: There is no such block.
        """
    def clear_host_data(self, block_id: int) -> None:
        """Forgets the copy of what a block holds.

        Args:
            block_id: Of the block.

        Raises:
            ValueError: There is no such block.
        """
    def clear(self) -> None:
        """Takes all blocks back, and gives up all that is kept."""
    def stats(self) -> PoolStats:
        """The pool in numbers."""

@final
class MemoryBlock:
    """A block at one moment. It does not change when the pool does."""

    @property
    def id(self) -> int:
        """Its id."""
    @property
    def size(self) -> int:
        """Bytes it takes."""
    @property
    def device_ptr(self) -> int | None:
        """The address of its device memory, if that was named."""
    @property
    def on_gpu(self) -> bool:
        """True if it has device memory."""
    @property
    def on_host(self) -> bool:
        """True if it is evicted, or there is a copy of what it holds."""
    @property
    def last_access(self) -> float:
        """When it was last allocated, touched or restored, in the clock's seconds."""
    def is_available(self) -> bool:
        """True if it has device memory whose address was named."""
    def is_evicted(self) -> bool:
        """True if it has no device memory."""

@final
class PoolStats:
    """A pool at one moment."""

    @property
    def quota(self) -> int:
        """The most bytes in use and kept."""
    @property
    def used(self) -> int:
        """Bytes in blocks on the device."""
    @property
    def cached(self) -> int:
        """Bytes taken, and in no block."""
    @property
    def available(self) -> int:
        """Bytes in no block on the device."""
    @property
    def allocation_count(self) -> int:
        """Blocks handed out so far."""
    @property
    def reuse_count(self) -> int:
        """Of those, from what was kept."""
    @property
    def eviction_count(self) -> int:
        """Blocks evicted so far."""
    @property
    def cudamalloc_count(self) -> int:
        """How often memory was taken, rather than used again."""
    @property
    def active_blocks(self) -> int:
        """Blocks, evicted ones too."""
    @property
    def free_blocks(self) -> int:
        """Pieces of memory that are kept, in no block."""
