"""The exceptions of PyGPUkit. Where Python has a word of its own, that is used.

Wrong shapes and values raise `ValueError`, wrong types `TypeError`, integers that do
not fit `OverflowError`, indices `IndexError`, too little memory `MemoryError`.
"""

__all__ = [
    "CompileError",
    "DeviceFault",
    "DeviceNotAvailable",
    "DriverError",
    "PyGPUkitError",
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
