"""Classes that existing scripts import from `_pygpukit_rust`: decisions in numbers alone.

They touch no device. Memory is an integer of bytes or text such as `"512MB"`, a share a
number from 0 to 1; what is out of range raises `ValueError`.
"""

from pygpukit.compat.admission import (
    AdmissionConfig,
    AdmissionController,
    AdmissionDecision,
    AdmissionStats,
    RejectReason,
    RejectReasonDetails,
)
from pygpukit.compat.cache import (
    CacheConfig,
    CachedKernel,
    CacheStats,
    CompileOptions,
    KernelCache,
    KernelKey,
)
from pygpukit.compat.dispatch import (
    DispatchStats,
    KernelDispatcher,
    KernelLaunchRequest,
    KernelState,
    LaunchConfig,
)
from pygpukit.compat.pacing import (
    KernelPacingEngine,
    PacingConfig,
    PacingDecision,
    PacingStats,
    StreamPacingStats,
)
from pygpukit.compat.partition import (
    Partition,
    PartitionConfig,
    PartitionLimits,
    PartitionManager,
    PartitionStats,
)
from pygpukit.compat.pinned import (
    PinnedBlock,
    PinnedMemoryManager,
    PinnedPoolConfig,
    PinnedStats,
)
from pygpukit.compat.pool import (
    MemoryBlock,
    MemoryPool,
    PoolStats,
)
from pygpukit.compat.qos import (
    QosClass,
    QosEvaluation,
    QosPolicy,
    QosPolicyEvaluator,
    QosStats,
    QosTaskMeta,
)
from pygpukit.compat.scheduler import (
    Scheduler,
    SchedulerStats,
    TaskMeta,
    TaskState,
    TaskStats,
)
from pygpukit.compat.slicing import (
    KernelSlice,
    SliceConfig,
    SliceInfo,
    SliceScheduler,
    SliceStats,
)
from pygpukit.compat.transfer import (
    AsyncTransferEngine,
    StreamType,
    TransferEngine,
    TransferOp,
    TransferState,
    TransferStats,
    TransferType,
)

__all__ = [
    "AdmissionConfig",
    "AdmissionController",
    "AdmissionDecision",
    "AdmissionStats",
    "AsyncTransferEngine",
    "CacheConfig",
    "CacheStats",
    "CachedKernel",
    "CompileOptions",
    "DispatchStats",
    "KernelCache",
    "KernelDispatcher",
    "KernelKey",
    "KernelLaunchRequest",
    "KernelPacingEngine",
    "KernelSlice",
    "KernelState",
    "LaunchConfig",
    "MemoryBlock",
    "MemoryPool",
    "PacingConfig",
    "PacingDecision",
    "PacingStats",
    "Partition",
    "PartitionConfig",
    "PartitionLimits",
    "PartitionManager",
    "PartitionStats",
    "PinnedBlock",
    "PinnedMemoryManager",
    "PinnedPoolConfig",
    "PinnedStats",
    "PoolStats",
    "QosClass",
    "QosEvaluation",
    "QosPolicy",
    "QosPolicyEvaluator",
    "QosStats",
    "QosTaskMeta",
    "RejectReason",
    "RejectReasonDetails",
    "Scheduler",
    "SchedulerStats",
    "SliceConfig",
    "SliceInfo",
    "SliceScheduler",
    "SliceStats",
    "StreamPacingStats",
    "StreamType",
    "TaskMeta",
    "TaskState",
    "TaskStats",
    "TransferEngine",
    "TransferOp",
    "TransferState",
    "TransferStats",
    "TransferType",
]
