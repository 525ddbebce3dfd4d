"""Compiled kernels that are kept, within limits of number, bytes and age."""

from collections.abc import Callable
from datetime import timedelta
from fractions import Fraction
from typing import final

__all__ = [
    "CacheConfig",
    "CacheStats",
    "CachedKernel",
    "CompileOptions",
    "KernelCache",
    "KernelKey",
]

@final
class CompileOptions:
    """How a kernel is compiled: whatever differs here may differ in the result.

    Args:
        compute_capability: For which devices, such as "sm_90".

    Example:
        >>> from pygpukit.compat import CompileOptions
        >>> options = CompileOptions("sm_90").flag("--use_fast_math").define("N", "4")
        >>> options.flags, options.defines
        (['--use_fast_math'], {'N': '4'})
    """

    def __new__(cls, compute_capability: str = "sm_75") -> CompileOptions: ...
    def flag(self, flag: str) -> CompileOptions:
        """The same with one more flag.

        Args:
            flag: What the compiler is told.
        """
    def define(self, name: str, value: str) -> CompileOptions:
        """The same with a macro defined.

        Args:
            name: Of the macro.
            value: What it stands for.
        """
    def include(self, path: str) -> CompileOptions:
        """The same with one more folder of headers. What is in it is not looked at.

        Args:
            path: Of the folder.
        """
    @property
    def compute_capability(self) -> str:
        """For which devices."""
    @property
    def flags(self) -> list[str]:
        """What the compiler is told, in that order."""
    @property
    def defines(self) -> dict[str, str]:
        """Values of macros."""
    @property
    def includes(self) -> list[str]:
        """Where headers are looked for, in that order."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class KernelKey:
    """What a kernel is found by: its source, name and options, compared whole.

    As an integer it is a hash of those, which other kernels may have too.
    """

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __int__(self) -> int: ...

@final
class CacheConfig:
    """How much is kept, and for how long.

    Args:
        max_entries: The most kernels.
        max_ptx_size: The most bytes of PTX, together.
        enable_eviction: True to let the least recently used leave for what is new.
        ttl_seconds: How long a kernel is kept after it was put in; 0 for as long as there is
            room.
    """

    def __new__(
        cls,
        max_entries: int = 1024,
        max_ptx_size: int | str = 268435456,
        enable_eviction: bool = True,
        ttl_seconds: float | Fraction | timedelta | str = 0.0,
    ) -> CacheConfig: ...
    @property
    def max_entries(self) -> int:
        """The most kernels."""
    @property
    def max_ptx_size(self) -> int:
        """The most bytes of PTX, together."""
    @property
    def enable_eviction(self) -> bool:
        """Whether the least recently used leaves for what is new."""
    @property
    def ttl_seconds(self) -> float:
        """How long a kernel is kept after it was put in; 0 for as long as there is room."""

@final
class CachedKernel:
    """A kernel at one moment. Times are seconds of the cache's clock."""

    @property
    def key(self) -> KernelKey:
        """What it is found by."""
    @property
    def name(self) -> str:
        """What it is called."""
    @property
    def ptx(self) -> str:
        """What was compiled."""
    @property
    def module_handle(self) -> int | None:
        """The module, if it is loaded."""
    @property
    def function_handle(self) -> int | None:
        """The function, if it is loaded."""
    @property
    def created_at(self) -> float:
        """When it was put in."""
    @property
    def last_access(self) -> float:
        """When it was last asked for, or else put in."""
    @property
    def access_count(self) -> int:
        """How often it was asked for, and once for when it was put in."""
    def is_loaded(self) -> bool:
        """Whether it has handles."""

@final
class CacheStats:
    """A cache at one moment."""

    @property
    def hits(self) -> int:
        """Kernels that were asked for and found."""
    @property
    def misses(self) -> int:
        """Kernels that were asked for and not found."""
    @property
    def entries(self) -> int:
        """Kernels that are kept."""
    @property
    def ptx_size(self) -> int:
        """How many bytes of PTX they have together."""
    @property
    def evictions(self) -> int:
        """Kernels that left for what was new."""
    @property
    def ttl_evictions(self) -> int:
        """Kernels that left because of their age."""
    @property
    def loaded_count(self) -> int:
        """Kernels that have handles."""
    def hit_rate(self) -> float:
        """Those found among those asked for; 0.0 without any."""

@final
class KernelCache:
    """Keeps compiled kernels, the most recently used.

    It compiles and loads nothing. A kernel that had handles and left is to be unloaded by the
    caller, who gets it from `take_evicted`.

    Args:
        config: How much is kept; the defaults of `CacheConfig` if left out.
        clock: Returns the time in seconds; `time.monotonic` if left out.

    Example:
        >>> from pygpukit.compat import CompileOptions, KernelCache
        >>> cache, options = KernelCache(), CompileOptions("sm_90")
        >>> key = cache.insert("__global__ void f() {}", "f", ".version 8.0", options)
        >>> cache.get(key).ptx
        '.version 8.0'
        >>> key == KernelCache.compute_key("__global__ void f() {}", "f", options)
        True
    """

    def __new__(
        cls, config: CacheConfig | None = None, clock: Callable[[], float] | None = None
    ) -> KernelCache: ...
    @classmethod
    def compute_key(cls, source: str, name: str, options: CompileOptions) -> KernelKey:
        """What a kernel is found by.

        Args:
            source: Of the kernel.
            name: Of the kernel.
            options: How it is compiled.
        """
    @classmethod
    def hash_source(cls, source: str) -> int:
        """A number of 64 bits that is the same for the same source.

        Args:
            source: Of a kernel.
        """
    def get(self, key: KernelKey) -> CachedKernel | None:
        """A kernel, which counts as a hit; or None, which counts as a miss.

        Args:
            key: Of the kernel.
        """
    def get_by_name(self, name: str, options: CompileOptions) -> CachedKernel | None:
        """The kernel that was last put in with a name, of whatever source; a hit or a miss.

        None once that has left, though one of an older source be kept.

        Args:
            name: Of the kernel.
            options: How it was compiled.
        """
    def insert(self, source: str, name: str, ptx: str, options: CompileOptions) -> KernelKey:
        """Keeps a kernel, instead of what was kept for its key; returns that.

        Args:
            source: Of the kernel.
            name: Of the kernel.
            ptx: What was compiled.
            options: How it was compiled.

        Raises:
            MemoryError: It is larger than all that may be kept, or nothing may leave for it.
                What is kept stays.
        """
    def set_handles(self, key: KernelKey, module_handle: int, function_handle: int) -> bool:
        """Says where a kernel is loaded; False if it is not kept, or has handles.

        Then nothing changes, and the caller is to unload what it loaded.

        Args:
            key: Of the kernel.
            module_handle: The module.
            function_handle: The function.
        """
    def remove(self, key: KernelKey) -> CachedKernel | None:
        """Takes a kernel out, which the caller is to unload; None if it is not kept.

        Args:
            key: Of the kernel.
        """
    def contains(self, key: KernelKey) -> bool:
        """Whether a kernel is kept; neither a hit nor a miss.

        Args:
            key: Of the kernel.
        """
    def kernel_names(self) -> list[str]:
        """What the kernels that are kept are called, each name once, sorted."""
    def clear_expired(self) -> int:
        """Takes out the kernels that are too old; returns how many."""
    def take_evicted(self) -> list[CachedKernel]:
        """The kernels that had handles and have left since the last call, in that order.

        They are held, code and all, until this takes them.
        """
    def stats(self) -> CacheStats:
        """The cache in numbers."""
    def len(self) -> int:
        """How many kernels are kept."""
    def __len__(self) -> int: ...
    def is_empty(self) -> bool:
        """Whether no kernel is kept."""
    def clear(self) -> None:
        """Takes all kernels out, and begins to count anew."""
