"""Schedulers: functions that share a device."""

from pygpukit._pygpukit_rust import (
    Admission,
    Task,
)
from pygpukit._pygpukit_rust import DeviceScheduler as Scheduler
from pygpukit._pygpukit_rust import DeviceSchedulerStats as SchedulerStats
from pygpukit._pygpukit_rust import DeviceTaskStats as TaskStats

__all__ = ["Admission", "Scheduler", "SchedulerStats", "Task", "TaskStats"]
