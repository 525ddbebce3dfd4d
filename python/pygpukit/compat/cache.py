"""Compiled kernels that are kept, within limits of number, bytes and age."""

from pygpukit._pygpukit_rust import (
    CacheConfig,
    CachedKernel,
    CacheStats,
    CompileOptions,
    KernelCache,
    KernelKey,
)

__all__ = [
    "CacheConfig",
    "CacheStats",
    "CachedKernel",
    "CompileOptions",
    "KernelCache",
    "KernelKey",
]
