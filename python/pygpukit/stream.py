"""Streams: work of one device that runs in order."""

from pygpukit._pygpukit_rust import Stream, current_stream

__all__ = ["Stream", "current_stream"]
