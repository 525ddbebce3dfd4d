"""The exceptions of PyGPUkit. Where Python has a word of its own, that is used."""

from pygpukit._pygpukit_rust import (
    AdmissionRejected,
    CompileError,
    DeviceFault,
    DeviceNotAvailable,
    DriverError,
    PyGPUkitError,
    SchedulerClosed,
    TaskCancelled,
    UnsupportedError,
)

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
