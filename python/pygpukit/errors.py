"""The exceptions of PyGPUkit. Where Python has a word of its own, that is used."""

from pygpukit._pygpukit_rust import (
    CompileError,
    CompilerNotFound,
    DeviceFault,
    DeviceNotAvailable,
    Diagnostic,
    DriverError,
    PyGPUkitError,
    UnsupportedError,
)

__all__ = [
    "CompileError",
    "CompilerNotFound",
    "DeviceFault",
    "DeviceNotAvailable",
    "Diagnostic",
    "DriverError",
    "PyGPUkitError",
    "UnsupportedError",
]
