"""The exceptions of PyGPUkit. Where Python has a word of its own, that is used.

Wrong shapes and values raise `ValueError`, wrong types `TypeError`, integers that do
not fit `OverflowError`, indices `IndexError`, too little memory `MemoryError`.
"""

from typing import final

__all__ = [
    "AdmissionRejected",
    "CompileError",
    "CompilerNotFound",
    "DeviceFault",
    "DeviceNotAvailable",
    "Diagnostic",
    "DriverError",
    "PyGPUkitError",
    "SchedulerClosed",
    "TaskCancelled",
    "UnsupportedError",
]

class PyGPUkitError(Exception):
    """The base of PyGPUkit's own exceptions."""

class DeviceNotAvailable(PyGPUkitError):
    """A device does not exist or cannot be used; the message says why."""

class UnsupportedError(PyGPUkitError):
    """The device cannot do this."""

class DriverError(PyGPUkitError):
    """The NVIDIA driver refused a call."""

class DeviceFault(PyGPUkitError):
    """Work failed on the device after it was queued."""

class CompileError(PyGPUkitError):
    """A kernel's source does not compile; `diagnostics` says what and where."""

    diagnostics: tuple[Diagnostic, ...]
    """The compiler's messages, in its order."""
    log: str
    """All that the compiler wrote."""

class CompilerNotFound(PyGPUkitError):
    """There is no NVRTC to compile kernels with; the message says how to install it."""

@final
class Diagnostic:
    """One message of the compiler."""

    @property
    def file(self) -> str:
        """The path of the source, or `<func>.cu` for a text; `ptx` from the assembler."""
    @property
    def line(self) -> int:
        """The line, counted from 1; 0 if the message belongs to no line."""
    @property
    def severity(self) -> str:
        """`"error"`, `"warning"` or `"remark"`."""
    @property
    def text(self) -> str:
        """What it says."""
    @property
    def excerpt(self) -> tuple[str, ...]:
        """The source line, and under it one whose `^` points at the place."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

class AdmissionRejected(PyGPUkitError):
    """A scheduler did not run a task: it asks for more than there is, or waited too long."""

    reason: str
    """What there is too little of: `"memory"`, `"bandwidth"`, `"workers"`, `"queue_full"`,
    `"queue_timeout"` or `"closed"`."""
    asked: int | float
    """How much it asked for: bytes, a share, or a number of tasks."""
    available: int | float
    """How much of that was available to it."""
    limit: int | float
    """How much of that there is in all."""

class SchedulerClosed(PyGPUkitError):
    """A scheduler that was closed takes no more tasks."""

class TaskCancelled(PyGPUkitError):
    """Work of a task that was cancelled while it ran."""
