"""Devices: GPUs, and the CPU as a device."""

import builtins
from types import TracebackType
from typing import Literal, final

from typing_extensions import Self

__all__ = [
    "Device",
    "DeviceCapabilities",
    "DeviceInfo",
    "default_device",
    "devices",
    "driver_verdict",
    "get_device_capabilities",
    "get_device_info",
    "is_cuda_available",
]

@final
class Device:
    """A device by name; it is opened at its first use.

    `with device:` makes it the current device of this thread or asyncio task.

    Args:
        device: `"cpu"`, `"cuda"` (the first), `"cuda:1"`, the number of a CUDA device,
            or a `Device`.

    Raises:
        ValueError: The name is not that of a device.
        DeviceNotAvailable: There is no such device; the message says why.

    Example:
        >>> import pygpukit as gp
        >>> with gp.Device("cpu"):
        ...     x = gp.zeros(3)
        >>> x.device
        Device('cpu')
    """

    def __new__(cls, device: Device | str | int) -> Device: ...
    @property
    def name(self) -> str:
        """`"cpu"` or `"cuda:0"`."""
    @property
    def type(self) -> Literal["cpu", "cuda"]:
        """What kind of device it is."""
    @property
    def index(self) -> int:
        """The number of the CUDA device; 0 for the CPU."""
    @property
    def info(self) -> DeviceInfo:
        """What the device is and has."""
    def synchronize(self) -> None:
        """Waits until all work on all streams of the device has completed.

        The GIL is released, and Ctrl-C ends the wait.

        Raises:
            DeviceFault: Work on a stream failed.
        """
    def trim(self) -> int:
        """Gives memory that is kept for reuse back to the device.

        Returns:
            How many bytes were given back.
        """
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        exc_type: builtins.type[BaseException] | None = None,
        exc: BaseException | None = None,
        traceback: TracebackType | None = None,
        /,
    ) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class DeviceInfo:
    """What a device is and has. Zero where it has no such thing."""

    @property
    def name(self) -> str:
        """The vendor's name."""
    @property
    def total_memory(self) -> int:
        """Bytes of memory the runtime may use."""
    @property
    def compute_capability(self) -> tuple[int, int] | None:
        """(major, minor); `None` for the CPU."""
    @property
    def multiprocessor_count(self) -> int:
        """Streaming multiprocessors; cores for the CPU."""
    @property
    def max_threads_per_block(self) -> int:
        """Most threads in one block."""
    @property
    def max_block(self) -> tuple[int, int, int]:
        """Largest block along x, y, z."""
    @property
    def max_grid(self) -> tuple[int, int, int]:
        """Largest grid along x, y, z."""
    @property
    def shared_memory_per_block(self) -> int:
        """Bytes of shared memory a block gets without opting in."""
    @property
    def shared_memory_per_block_optin(self) -> int:
        """Bytes of shared memory a block can opt into."""
    @property
    def warp_size(self) -> int:
        """Threads in a warp."""
    @property
    def l2_cache_size(self) -> int:
        """Bytes of the last-level cache."""
    @property
    def driver_version(self) -> tuple[int, int] | None:
        """The CUDA version of the driver, (major, minor); `None` for the CPU."""

@final
class DeviceCapabilities:
    """What a device can do, by its compute capability. All false on the CPU."""

    @property
    def device_id(self) -> int:
        """The number of the CUDA device; 0 for the CPU."""
    @property
    def name(self) -> str:
        """The vendor's name."""
    @property
    def sm_version(self) -> int:
        """10 * major + minor of the compute capability; 0 for the CPU."""
    @property
    def compute_capability(self) -> int:
        """The same as `sm_version`."""
    @property
    def tensorcore(self) -> bool:
        """Tensor cores that take TF32 (8.0 and later)."""
    @property
    def tensorcore_fp16(self) -> bool:
        """Tensor cores that take float16 (7.0 and later)."""
    @property
    def tensorcore_bf16(self) -> bool:
        """Tensor cores that take bfloat16 (8.0 and later)."""
    @property
    def async_copy(self) -> bool:
        """Asynchronous copies into shared memory (8.0 and later)."""

def devices() -> list[Device]:
    """The devices of this machine: CUDA devices, then the CPU. Opens none."""

def default_device() -> Device:
    """The device used where none is named.

    That of the innermost `with device:` or `with stream:`, else that of the environment
    variable `PYGPUKIT_DEVICE`, else the first CUDA device, else, only if there is no
    NVIDIA GPU, the CPU.

    Raises:
        DeviceNotAvailable: There is a GPU that cannot be used; the message says why.
    """

def is_cuda_available() -> bool:
    """True if there is a CUDA device that can be used."""

def get_device_info(device: Device | str | int | None = None) -> DeviceInfo:
    """What a device is and has.

    Args:
        device: The current device if left out.

    Raises:
        DeviceNotAvailable: The device cannot be used; the message says why.
    """

def get_device_capabilities(device: Device | str | int | None = None) -> DeviceCapabilities:
    """What a device can do.

    Args:
        device: The current device if left out.

    Raises:
        DeviceNotAvailable: The device cannot be used; the message says why.
    """

def driver_verdict() -> str:
    """What became of the search for the NVIDIA driver and its devices, in words."""
