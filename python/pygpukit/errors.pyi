"""The exceptions of PyGPUkit. Where Python has a word of its own, that is used.

Wrong shapes and values raise `ValueError`, wrong types `TypeError`, integers that do
not fit `OverflowError`, indices `IndexError`, too little memory `MemoryError`.
"""

__all__ = [
    "AdmissionRejected",
    "CompileError",
    "DeviceFault",
    "DeviceNotAvailable",
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
    """A kernel's source does not compile."""

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
