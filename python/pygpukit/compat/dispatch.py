"""Launches queued by stream, handed out once, and followed to their end."""

from pygpukit._pygpukit_rust import (
    DispatchStats,
    KernelDispatcher,
    KernelLaunchRequest,
    KernelState,
    LaunchConfig,
)

__all__ = [
    "DispatchStats",
    "KernelDispatcher",
    "KernelLaunchRequest",
    "KernelState",
    "LaunchConfig",
]
