"""Custom kernels: CUDA C source, compiled and launched."""

from collections.abc import Callable, Sequence
from inspect import Signature
from os import PathLike
from typing import Any, Literal, TypeAlias, final

from pygpukit.stream import Stream

__all__ = [
    "CompilerCandidate",
    "ConfiguredKernel",
    "Kernel",
    "LaunchConfig",
    "NullPointer",
    "compiler_candidates",
    "jit",
    "nullptr",
]

_Lengths: TypeAlias = int | Sequence[int]
_Grid: TypeAlias = _Lengths | Callable[[dict[str, Any]], _Lengths]
_Block: TypeAlias = _Lengths | Literal["occupancy"]

def jit(
    source: str | PathLike[str],
    func: str,
    options: Sequence[str] | None = None,
    *,
    grid: _Grid | None = None,
    block: _Block | None = None,
    strided: Sequence[str] | None = None,
) -> Kernel:
    """Makes a kernel of CUDA C source.

    The signature of `func` is read from the source at once. The kernel is compiled with
    NVRTC, which needs no GPU, at its first call on a device, or by `Kernel.compile`.

    What a kernel does with the memory it is given is its author's responsibility: calls
    are checked, the code is not.

    Args:
        source: The text, or the path of a file; `#include "..."` also finds files
            beside that file.
        func: The name of the `__global__` function; `"a::f"` in a namespace,
            `"f<float>"` for an instance of a template.
        options: Options for NVRTC, such as `"-I/path"`, `"-DN=4"` or `"--use_fast_math"`;
            `"-arch=sm_90a"` chooses the target for all devices.
        grid: Blocks where a call does not say: an int, up to three, or a function of the
            arguments (a dict by parameter name) that returns them.
        block: Threads of a block where a call does not say: an int, up to three, or
            `"occupancy"` for as many as fill a multiprocessor best.
        strided: Names of pointer parameters that take non-contiguous arrays; the kernel
            has to be told the strides.

    Raises:
        ValueError: There is no such kernel (the message names those that there are),
            more than one, or a name in `strided` is no parameter.
        OSError: The file cannot be read.

    Example:
        >>> import pygpukit as gp
        >>> source = '''
        ... extern "C" __global__ void scale(float* x, float factor, int n) {
        ...     int i = blockIdx.x * blockDim.x + threadIdx.x;
        ...     if (i < n) x[i] *= factor;
        ... }
        ... '''
        >>> scale = gp.jit(source, func="scale")
        >>> scale
        <pygpukit.Kernel scale(float* x, float factor, int n)>
        >>> scale.launch_config(gp.ones(1000, device="cpu"), factor=0.5, n=1000)
        LaunchConfig(grid=(4, 1, 1), block=(256, 1, 1), shared=0)
    """

@final
class Kernel:
    """A kernel of CUDA C source: see `jit`."""

    @property
    def name(self) -> str:
        """The name of the `__global__` function, with its namespaces."""
    @property
    def source(self) -> str:
        """The CUDA C text."""
    @property
    def options(self) -> tuple[str, ...]:
        """The options for NVRTC, without the target."""
    @property
    def __name__(self) -> str: ...
    @property
    def __signature__(self) -> Signature:
        """Parameters with their C types as annotations."""
    def __call__(
        self,
        *args: Any,
        grid: _Grid | None = None,
        block: _Block | None = None,
        shared: int | None = None,
        stream: Stream | None = None,
        **kwargs: Any,
    ) -> None:
        """Launches the kernel and returns at once.

        Arguments are given by position or by the C parameters' names. Pointers take
        GPUArrays and objects of the same device that speak DLPack or the CUDA array
        interface (without a copy, ordered after what was done to them), or `nullptr`;
        numbers take Python and NumPy numbers, converted to the C type; structures take
        structured NumPy scalars or bytes of exactly their size.

        Without `grid` and `block`, a kernel of one dimension without shared memory and
        barriers gets blocks of 256 threads, fewer if `__launch_bounds__` or its resources
        ask for it, and a grid that covers its largest array.

        Args:
            *args: Arguments, in the order of the parameters.
            grid: Blocks: an int, up to three, or a function of the arguments.
            block: Threads of a block: an int, up to three, or `"occupancy"`.
            shared: Bytes of dynamic shared memory.
            stream: Where to launch; the current stream of the arrays' device if left out.
            **kwargs: Arguments, by the names of the parameters.

        Raises:
            TypeError: Too many, too few or misnamed arguments; one of a wrong type; no
                grid or block where they must be given.
            OverflowError: A number is beyond the parameter's type.
            ValueError: A non-contiguous, read-only or misaligned array, one on another
                device, a structure of a wrong size, a grid or block beyond a limit.
            CompileError: The source does not compile.
            CompilerNotFound: NVRTC is missing; the message says how to install it.
            UnsupportedError: The device runs no kernels (the CPU device); raised when
                everything else has been checked.
        """
    def compile(self, arch: str | None = None) -> None:
        """Compiles now, for the current device or for `arch`.

        The GIL is released, and Ctrl-C ends the wait; the compiler goes on in the background.

        Args:
            arch: `"sm_90"`, `"sm_90a"`, or `"compute_90"` for PTX only. Needs no device.

        Raises:
            CompileError: The source does not compile.
            CompilerNotFound: NVRTC is missing; the message says how to install it.
        """
    def launch_config(
        self,
        *args: Any,
        grid: _Grid | None = None,
        block: _Block | None = None,
        shared: int | None = None,
        stream: Stream | None = None,
        **kwargs: Any,
    ) -> LaunchConfig:
        """The grid and block that a call with these arguments would have.

        Takes what a call takes, checks it the same way, and launches nothing.
        """
    def with_config(
        self,
        *,
        grid: _Grid | None = None,
        block: _Block | None = None,
        shared: int | None = None,
        stream: Stream | None = None,
    ) -> ConfiguredKernel:
        """The kernel with its launch configured, all of whose keywords are parameters.

        For kernels whose parameters are named like the options of a call:
        `kernel.with_config(grid=8)(x, block=3)`.
        """

@final
class ConfiguredKernel:
    """A kernel whose launch is configured: see `Kernel.with_config`."""

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Launches the kernel: see `Kernel.__call__`."""
    def launch_config(self, *args: Any, **kwargs: Any) -> LaunchConfig:
        """The grid and block that a call with these arguments would have."""

@final
class LaunchConfig:
    """How a kernel is launched."""

    @property
    def grid(self) -> tuple[int, int, int]:
        """Blocks along x, y, z; 0 if there is nothing to launch."""
    @property
    def block(self) -> tuple[int, int, int]:
        """Threads of a block along x, y, z."""
    @property
    def shared(self) -> int:
        """Bytes of dynamic shared memory."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class NullPointer:
    """The class of `nullptr`."""

nullptr: NullPointer
"""A null pointer, for pointer parameters of kernels."""

@final
class CompilerCandidate:
    """A place where NVRTC was looked for, and what was found there."""

    @property
    def place(self) -> str:
        """Why it was looked at, such as `"site-packages"` or `"CUDA_PATH"`."""
    @property
    def path(self) -> str:
        """The library; for a missing one, the folder or name looked for."""
    @property
    def version(self) -> tuple[int | None, int | None]:
        """(major, minor) as far as they are known."""
    @property
    def verdict(self) -> str:
        """What became of it: `"used"`, `"not found"`, `"newer than the driver, …"`."""
    @property
    def is_used(self) -> bool:
        """True for the one that compiles."""

def compiler_candidates() -> list[CompilerCandidate]:
    """Every NVRTC that was looked at, in order, with the verdict on it.

    The order: `PYGPUKIT_NVRTC`, which excludes all others; a library that the process has
    loaded; wheels in site-packages; the conda environment; the system loader; `CUDA_PATH`
    and `CUDA_HOME`; `/usr/local/cuda*`. Of several in one place the newest is used whose
    major version the driver accepts.
    """
