"""Streams that share the time of a device: who may launch when."""

from pygpukit._pygpukit_rust import (
    KernelPacingEngine,
    PacingConfig,
    PacingDecision,
    PacingStats,
    StreamPacingStats,
)

__all__ = [
    "KernelPacingEngine",
    "PacingConfig",
    "PacingDecision",
    "PacingStats",
    "StreamPacingStats",
]
