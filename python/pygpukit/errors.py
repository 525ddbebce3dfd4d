"""The exceptions of PyGPUkit. Where Python has a word of its own, that is used."""

from pygpukit._pygpukit_rust import (
    AdmissionRejected,
    CompileError,
    CompilerNotFound,
    DeviceFault,
    DeviceNotAvailable,
    Diagnostic,
    DriverError,
    PyGPUkitError,
    SchedulerClosed,
    TaskCancelled,
    UnsupportedError,
)

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
