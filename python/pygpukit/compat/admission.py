"""Admission control: whether a task may start, in numbers alone."""

from pygpukit._pygpukit_rust import (
    AdmissionConfig,
    AdmissionController,
    AdmissionDecision,
    AdmissionStats,
    RejectReason,
    RejectReasonDetails,
)

__all__ = [
    "AdmissionConfig",
    "AdmissionController",
    "AdmissionDecision",
    "AdmissionStats",
    "RejectReason",
    "RejectReasonDetails",
]
