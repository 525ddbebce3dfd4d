"""The compiled module. Everything is documented where it is re-exported."""

from pygpukit.array import (
    GPUArray,
    add,
    arange,
    asarray,
    divide,
    empty,
    equal,
    floor_divide,
    from_dlpack,
    from_numpy,
    full,
    greater,
    greater_equal,
    less,
    less_equal,
    matmul,
    multiply,
    negative,
    not_equal,
    ones,
    power,
    remainder,
    subtract,
    zeros,
)
from pygpukit.compat import (
    MemoryPool as MemoryPool,
)
from pygpukit.compat import (
    Partition as Partition,
)
from pygpukit.compat import (
    PartitionConfig as PartitionConfig,
)
from pygpukit.compat import (
    PartitionLimits as PartitionLimits,
)
from pygpukit.compat import (
    PartitionManager as PartitionManager,
)
from pygpukit.compat import (
    PoolStats as PoolStats,
)
from pygpukit.compat import (
    QosClass as QosClass,
)
from pygpukit.compat import (
    QosEvaluation as QosEvaluation,
)
from pygpukit.compat import (
    QosPolicyEvaluator as QosPolicyEvaluator,
)
from pygpukit.compat import (
    QosStats as QosStats,
)
from pygpukit.compat import (
    QosTaskMeta as QosTaskMeta,
)
from pygpukit.device import (
    Device,
    DeviceCapabilities,
    DeviceInfo,
    default_device,
    devices,
    driver_verdict,
    get_device_capabilities,
    get_device_info,
    is_cuda_available,
)
from pygpukit.dtypes import (
    DType,
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from pygpukit.errors import (
    CompileError,
    CompilerNotFound,
    DeviceFault,
    DeviceNotAvailable,
    Diagnostic,
    DriverError,
    PyGPUkitError,
    UnsupportedError,
)
from pygpukit.kernel import (
    CompilerCandidate,
    ConfiguredKernel,
    Kernel,
    LaunchConfig,
    NullPointer,
    compiler_candidates,
    jit,
    nullptr,
)
from pygpukit.errors import (
    SchedulerClosed as SchedulerClosed,
)
from pygpukit.errors import (
    TaskCancelled as TaskCancelled,
)
from pygpukit.scheduler import (
    Admission as Admission,
)
from pygpukit.scheduler import (
    Scheduler as DeviceScheduler,
)
from pygpukit.scheduler import (
    SchedulerStats as SchedulerStats,
)
from pygpukit.scheduler import (
    Task as Task,
)
from pygpukit.scheduler import (
    TaskStats as TaskStats,
)
from pygpukit.stream import (
    Stream,
    current_stream,
)

__all__ = [
    "CompileError",
    "CompilerCandidate",
    "CompilerNotFound",
    "ConfiguredKernel",
    "DType",
    "Device",
    "DeviceCapabilities",
    "DeviceFault",
    "DeviceInfo",
    "DeviceNotAvailable",
    "Diagnostic",
    "DriverError",
    "GPUArray",
    "Kernel",
    "LaunchConfig",
    "NullPointer",
    "PyGPUkitError",
    "Stream",
    "UnsupportedError",
    "__version__",
    "add",
    "arange",
    "asarray",
    "bfloat16",
    "bool_",
    "compiler_candidates",
    "complex64",
    "complex128",
    "current_stream",
    "default_device",
    "devices",
    "divide",
    "driver_verdict",
    "empty",
    "equal",
    "float16",
    "float32",
    "float64",
    "floor_divide",
    "from_dlpack",
    "from_numpy",
    "full",
    "get_device_capabilities",
    "get_device_info",
    "greater",
    "greater_equal",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_cuda_available",
    "jit",
    "less",
    "less_equal",
    "matmul",
    "multiply",
    "negative",
    "not_equal",
    "nullptr",
    "ones",
    "power",
    "remainder",
    "subtract",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "zeros",
]

__version__: str
