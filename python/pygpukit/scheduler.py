"""Schedulers: functions that share a device."""

from pygpukit._pygpukit_rust import (
    Admission,
    SchedulerStats,
    Task,
    TaskStats,
)
from pygpukit._pygpukit_rust import DeviceScheduler as Scheduler

__all__ = ["Admission", "Scheduler", "SchedulerStats", "Task", "TaskStats"]
