"""Which task may run next, in numbers alone: by memory, priority and dependencies."""

from pygpukit._pygpukit_rust import (
    Scheduler,
    SchedulerStats,
    TaskMeta,
    TaskState,
    TaskStats,
)

__all__ = [
    "Scheduler",
    "SchedulerStats",
    "TaskMeta",
    "TaskState",
    "TaskStats",
]
