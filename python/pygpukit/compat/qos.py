"""Quality of service: what would be promised to a task, and keeping count of it."""

from pygpukit._pygpukit_rust import (
    QosClass,
    QosEvaluation,
    QosPolicy,
    QosPolicyEvaluator,
    QosStats,
    QosTaskMeta,
)

__all__ = [
    "QosClass",
    "QosEvaluation",
    "QosPolicy",
    "QosPolicyEvaluator",
    "QosStats",
    "QosTaskMeta",
]
