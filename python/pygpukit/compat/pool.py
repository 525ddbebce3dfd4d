"""A pool of memory with a quota: decisions in numbers alone."""

from pygpukit._pygpukit_rust import (
    MemoryBlock,
    MemoryPool,
    PoolStats,
)

__all__ = [
    "MemoryBlock",
    "MemoryPool",
    "PoolStats",
]
