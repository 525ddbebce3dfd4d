"""Streams: work of one device that runs in order."""

from types import TracebackType
from typing import final

from typing_extensions import Self

from pygpukit.device import Device

__all__ = ["Stream", "current_stream"]

@final
class Stream:
    """Work of one device that runs in order.

    Streams of a device overlap. What two streams do to the same array is ordered by
    the data: a reader waits for the last writer, a writer for the readers before it.
    `with stream:` makes it the current stream of this thread or asyncio task; blocks
    are left in the reverse order, or `RuntimeError` says which were not.

    Two objects are equal if they stand for the same stream. A stream cannot be copied
    or pickled.

    Args:
        device: A `Device`, its name, or the number of a CUDA device; the current
            device if left out.

    Raises:
        DeviceNotAvailable: The device cannot be used; the message says why.

    Example:
        >>> import pygpukit as gp
        >>> with gp.Stream("cpu") as stream:
        ...     x = gp.ones(3) + 1
        >>> stream.synchronize()
        >>> x.tolist()
        [2.0, 2.0, 2.0]
    """

    def __new__(cls, device: Device | str | int | None = None) -> Stream: ...
    @property
    def device(self) -> Device:
        """The device whose work this is."""
    @property
    def handle(self) -> int:
        """The `CUstream` as a number; 0 on the CPU device."""
    @property
    def done(self) -> bool:
        """True if all that is on the stream now has completed.

        Raises:
            DeviceFault: Work on this stream failed.
        """
    def synchronize(self) -> None:
        """Waits until all that is on the stream now has completed.

        The GIL is released, and Ctrl-C ends the wait.

        Raises:
            DeviceFault: Work on this stream failed.
        """
    def wait_stream(self, other: Stream) -> None:
        """Makes later work of this stream wait for all that is on `other` now.

        Args:
            other: A stream of the same device.
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc: BaseException | None = None,
        traceback: TracebackType | None = None,
        /,
    ) -> None: ...
    def __cuda_stream__(self) -> tuple[int, int]:
        """The CUDA stream protocol: (version 0, handle).

        Raises:
            UnsupportedError: This is a stream of the CPU device.
        """

def current_stream() -> Stream:
    """The stream that operations use where none is named.

    That of the innermost `with stream:` or `with device:`, else the default stream of
    the default device.
    """
