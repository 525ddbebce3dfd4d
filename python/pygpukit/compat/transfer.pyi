"""Copies between host and device: which is next, how much of it, and when."""

from collections.abc import Callable
from datetime import timedelta
from fractions import Fraction
from typing import ClassVar, final

__all__ = [
    "AsyncTransferEngine",
    "StreamType",
    "TransferEngine",
    "TransferOp",
    "TransferState",
    "TransferStats",
    "TransferType",
]

@final
class TransferType:
    """Between which memories a copy goes."""

    H2D: ClassVar[TransferType]
    """From the host to the device."""
    D2H: ClassVar[TransferType]
    """From the device to the host."""
    D2D: ClassVar[TransferType]
    """Within the device, or to another."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __int__(self) -> int: ...

@final
class TransferState:
    """How far a transfer has come. An end is final."""

    Queued: ClassVar[TransferState]
    InProgress: ClassVar[TransferState]
    Completed: ClassVar[TransferState]
    Failed: ClassVar[TransferState]
    Cancelled: ClassVar[TransferState]
    def is_terminal(self) -> bool:
        """True for an end."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __int__(self) -> int: ...

@final
class StreamType:
    """What a stream is for."""

    Compute: ClassVar[StreamType]
    """Kernels, and copies within the device: stream 0."""
    MemcpyH2D: ClassVar[StreamType]
    """Copies to the device: stream 1."""
    MemcpyD2H: ClassVar[StreamType]
    """Copies to the host: stream 2."""
    @classmethod
    def Custom(cls, stream_id: int) -> StreamType:  # noqa: N802
        """Something else.

        Args:
            stream_id: Which stream.
        """
    def to_id(self) -> int:
        """Which stream."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class TransferOp:
    """A transfer at one moment. Times are seconds of the engine's clock."""

    @property
    def id(self) -> int:
        """Its name, from 1."""
    @property
    def transfer_type(self) -> TransferType:
        """In which direction it goes."""
    @property
    def src_ptr(self) -> int:
        """Address of the first byte to be read."""
    @property
    def dst_ptr(self) -> int:
        """Address of the first byte to be written."""
    @property
    def size(self) -> int:
        """How many bytes."""
    @property
    def copied(self) -> int:
        """How many of them are copied."""
    @property
    def chunk(self) -> tuple[int, int] | None:
        """What is to be copied now: so many bytes from the first, and how many.

        All of it, unless the engine has a `max_latency`. None where the engine was asked about
        a transfer, and not what to copy.
        """
    @property
    def state(self) -> TransferState:
        """How far it has come."""
    @property
    def stream_id(self) -> int:
        """Which stream it goes on."""
    @property
    def priority(self) -> int:
        """More is more urgent."""
    @property
    def queued_at(self) -> float:
        """When it was queued."""
    @property
    def started_at(self) -> float | None:
        """Since when it was in progress, if it was."""
    @property
    def completed_at(self) -> float | None:
        """When it came to its end, if it did."""
    @property
    def error(self) -> str | None:
        """What went wrong, if anything did."""
    def wait_time(self) -> float | None:
        """Seconds until it was in progress; None if it never was."""
    def duration(self) -> float | None:
        """Seconds from then to its end; None if it never was in progress, or is still."""
    def bandwidth_gbps(self) -> float | None:
        """Billions of bytes copied a second; None without a duration."""

@final
class TransferStats:
    """An engine at one moment. What was counted stays so when transfers are forgotten."""

    @property
    def total_queued(self) -> int:
        """Transfers that were ever queued."""
    @property
    def completed_count(self) -> int:
        """Those of which all was copied."""
    @property
    def failed_count(self) -> int:
        """Those that failed."""
    @property
    def cancelled_count(self) -> int:
        """Those that were cancelled."""
    @property
    def pending_count(self) -> int:
        """Those that wait."""
    @property
    def in_progress_count(self) -> int:
        """Those in progress."""
    @property
    def total_bytes(self) -> int:
        """Bytes copied in all directions, also of transfers that did not complete."""
    @property
    def h2d_bytes(self) -> int:
        """Bytes copied to the device."""
    @property
    def d2h_bytes(self) -> int:
        """Bytes copied to the host."""
    @property
    def d2d_bytes(self) -> int:
        """Bytes copied within the device."""
    @property
    def avg_h2d_bandwidth(self) -> float:
        """Billions of bytes a second to the device, while any were on their way."""
    @property
    def avg_d2h_bandwidth(self) -> float:
        """Billions of bytes a second to the host, while any were on their way."""
    @property
    def avg_d2d_bandwidth(self) -> float:
        """Billions of bytes a second within the device, while any were on their way."""

@final
class AsyncTransferEngine:
    """Hands out copies: the most urgent of a direction first, the oldest of those.

    The directions take turns, so that none waits for another. It copies nothing: the caller
    copies what `get_ready_transfers` returns, and says how that ended.

    With `max_latency`, long copies are cut into chunks, so that an urgent one waits for no
    more than what is on its way. The caller copies the `chunk` of what it is given, and
    completes it; the same transfer is then given again, with its next chunk. Chunks of one
    transfer come to their ends in order, as on a stream.

    Args:
        max_concurrent: Chunks on their way in a direction, at most.
        max_latency: How long those take together, at most; a chunk is 4096 bytes at least.
            Seconds, or text such as "500us". None to hand out copies whole.
        h2d_bandwidth: Bytes that are copied to the device in a second.
        d2h_bandwidth: Bytes that are copied to the host in a second.
        d2d_bandwidth: Bytes that are copied within the device in a second.
        clock: Returns the time in seconds; `time.monotonic` if left out.

    Example:
        >>> from pygpukit.compat import AsyncTransferEngine
        >>> engine = AsyncTransferEngine()
        >>> engine.enqueue_h2d(0x1000, 0x2000, 4096)
        1
        >>> [transfer] = engine.get_ready_transfers(4)
        >>> engine.complete_transfer(transfer.id)
        True
    """

    def __new__(
        cls,
        max_concurrent: int = 4,
        max_latency: float | Fraction | timedelta | str | None = None,
        h2d_bandwidth: int | str = "25GB",
        d2h_bandwidth: int | str = "25GB",
        d2d_bandwidth: int | str = "1TB",
        clock: Callable[[], float] | None = None,
    ) -> AsyncTransferEngine: ...
    def enqueue_h2d(self, host_ptr: int, device_ptr: int, size: int | str) -> int:
        """Queues a copy to the device; returns its id.

        Args:
            host_ptr: Address to read from.
            device_ptr: Address to write to.
            size: How many bytes.
        """
    def enqueue_d2h(self, device_ptr: int, host_ptr: int, size: int | str) -> int:
        """Queues a copy to the host; returns its id.

        Args:
            device_ptr: Address to read from.
            host_ptr: Address to write to.
            size: How many bytes.
        """
    def enqueue_d2d(self, src_ptr: int, dst_ptr: int, size: int | str) -> int:
        """Queues a copy within the device; returns its id.

        Args:
            src_ptr: Address to read from.
            dst_ptr: Address to write to.
            size: How many bytes.
        """
    def enqueue_with_priority(
        self, transfer_type: str, src_ptr: int, dst_ptr: int, size: int | str, priority: int
    ) -> int:
        """Queues a copy; returns its id.

        Args:
            transfer_type: "h2d", "d2h" or "d2d".
            src_ptr: Address to read from.
            dst_ptr: Address to write to.
            size: How many bytes.
            priority: More is more urgent; 0 for what is queued otherwise.

        Raises:
            ValueError: There is no such direction.
        """
    def get_ready_transfers(self, max_transfers: int) -> list[TransferOp]:
        """Hands out what is to be copied now.

        Args:
            max_transfers: How many, at most.
        """
    def start_transfer(self, transfer_id: int) -> bool:
        """Begins a transfer before its turn, with its first chunk.

        Args:
            transfer_id: Which.

        Returns:
            False if it has begun, has come to its end, has no room, or there is none.
        """
    def complete_transfer(self, transfer_id: int) -> bool:
        """A transfer was copied, or its oldest chunk on its way; False if none is.

        Args:
            transfer_id: Which.
        """
    def fail_transfer(self, transfer_id: int, error: str) -> bool:
        """A transfer failed; False if it came to its end before, or there is none.

        Other chunks of it that are on their way are to be reported too: it ends with the last.

        Args:
            transfer_id: Which.
            error: What happened.
        """
    def cancel_transfer(self, transfer_id: int) -> bool:
        """What was not handed out of a transfer is not to be copied; False if there is none.

        What is on its way is to be reported still: the transfer ends with the last chunk.

        Args:
            transfer_id: Which.
        """
    def get_operation(self, transfer_id: int) -> TransferOp | None:
        """A transfer; None if there is none.

        Args:
            transfer_id: Which.
        """
    def get_in_progress_for_stream(self, stream_id: int) -> list[TransferOp]:
        """The transfers in progress on a stream, the first to begin first.

        Args:
            stream_id: Which, as `StreamType.to_id` says.
        """
    def has_pending_work(self) -> bool:
        """Whether any transfer has not come to its end."""
    def stats(self) -> TransferStats:
        """The engine in numbers."""
    def gc(self) -> int:
        """Forgets the transfers that have come to their end; returns how many. Counts stay."""
    def clear(self) -> None:
        """Forgets all transfers, and begins to count anew. No id is used again."""

TransferEngine = AsyncTransferEngine
