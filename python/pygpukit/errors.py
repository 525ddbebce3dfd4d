"""The exceptions of PyGPUkit. Where Python has a word of its own, that is used."""

from pygpukit._pygpukit_rust import (
    CompileError,
    DeviceFault,
    DeviceNotAvailable,
    DriverError,
    PyGPUkitError,
    UnsupportedError,
)

__all__ = [
    "CompileError",
    "DeviceFault",
    "DeviceNotAvailable",
    "DriverError",
    "PyGPUkitError",
    "UnsupportedError",
]
