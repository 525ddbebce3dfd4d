"""Copies between host and device: which is next, how much of it, and when."""

from pygpukit._pygpukit_rust import (
    AsyncTransferEngine,
    StreamType,
    TransferEngine,
    TransferOp,
    TransferState,
    TransferStats,
    TransferType,
)

__all__ = [
    "AsyncTransferEngine",
    "StreamType",
    "TransferEngine",
    "TransferOp",
    "TransferState",
    "TransferStats",
    "TransferType",
]
