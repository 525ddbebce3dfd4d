"""Pinned (page-locked) host memory within a quota: decisions in numbers alone."""

from pygpukit._pygpukit_rust import (
    PinnedBlock,
    PinnedMemoryManager,
    PinnedPoolConfig,
    PinnedStats,
)

__all__ = [
    "PinnedBlock",
    "PinnedMemoryManager",
    "PinnedPoolConfig",
    "PinnedStats",
]
