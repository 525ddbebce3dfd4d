"""Kernels over a number of items, run slice by slice."""

from pygpukit._pygpukit_rust import (
    KernelSlice,
    SliceConfig,
    SliceInfo,
    SliceScheduler,
    SliceStats,
)

__all__ = [
    "KernelSlice",
    "SliceConfig",
    "SliceInfo",
    "SliceScheduler",
    "SliceStats",
]
