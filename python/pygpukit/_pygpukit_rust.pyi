"""The compiled module. Everything is documented where it is re-exported."""

from pygpukit.array import (
    GPUArray as GPUArray,
)
from pygpukit.array import (
    add as add,
)
from pygpukit.array import (
    arange as arange,
)
from pygpukit.array import (
    asarray as asarray,
)
from pygpukit.array import (
    divide as divide,
)
from pygpukit.array import (
    empty as empty,
)
from pygpukit.array import (
    equal as equal,
)
from pygpukit.array import (
    floor_divide as floor_divide,
)
from pygpukit.array import (
    from_dlpack as from_dlpack,
)
from pygpukit.array import (
    from_numpy as from_numpy,
)
from pygpukit.array import (
    full as full,
)
from pygpukit.array import (
    greater as greater,
)
from pygpukit.array import (
    greater_equal as greater_equal,
)
from pygpukit.array import (
    less as less,
)
from pygpukit.array import (
    less_equal as less_equal,
)
from pygpukit.array import (
    matmul as matmul,
)
from pygpukit.array import (
    multiply as multiply,
)
from pygpukit.array import (
    negative as negative,
)
from pygpukit.array import (
    not_equal as not_equal,
)
from pygpukit.array import (
    ones as ones,
)
from pygpukit.array import (
    power as power,
)
from pygpukit.array import (
    remainder as remainder,
)
from pygpukit.array import (
    subtract as subtract,
)
from pygpukit.array import (
    zeros as zeros,
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
    Device as Device,
)
from pygpukit.device import (
    DeviceCapabilities as DeviceCapabilities,
)
from pygpukit.device import (
    DeviceInfo as DeviceInfo,
)
from pygpukit.device import (
    default_device as default_device,
)
from pygpukit.device import (
    devices as devices,
)
from pygpukit.device import (
    get_device_capabilities as get_device_capabilities,
)
from pygpukit.device import (
    get_device_info as get_device_info,
)
from pygpukit.device import (
    is_cuda_available as is_cuda_available,
)
from pygpukit.dtypes import (
    DType as DType,
)
from pygpukit.dtypes import (
    bfloat16 as bfloat16,
)
from pygpukit.dtypes import (
    bool_ as bool_,
)
from pygpukit.dtypes import (
    complex64 as complex64,
)
from pygpukit.dtypes import (
    complex128 as complex128,
)
from pygpukit.dtypes import (
    float16 as float16,
)
from pygpukit.dtypes import (
    float32 as float32,
)
from pygpukit.dtypes import (
    float64 as float64,
)
from pygpukit.dtypes import (
    int8 as int8,
)
from pygpukit.dtypes import (
    int16 as int16,
)
from pygpukit.dtypes import (
    int32 as int32,
)
from pygpukit.dtypes import (
    int64 as int64,
)
from pygpukit.dtypes import (
    uint8 as uint8,
)
from pygpukit.dtypes import (
    uint16 as uint16,
)
from pygpukit.dtypes import (
    uint32 as uint32,
)
from pygpukit.dtypes import (
    uint64 as uint64,
)
from pygpukit.errors import (
    AdmissionRejected as AdmissionRejected,
)
from pygpukit.errors import (
    CompileError as CompileError,
)
from pygpukit.errors import (
    DeviceFault as DeviceFault,
)
from pygpukit.errors import (
    DeviceNotAvailable as DeviceNotAvailable,
)
from pygpukit.errors import (
    DriverError as DriverError,
)
from pygpukit.errors import (
    PyGPUkitError as PyGPUkitError,
)
from pygpukit.errors import (
    UnsupportedError as UnsupportedError,
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
    Stream as Stream,
)
from pygpukit.stream import (
    current_stream as current_stream,
)

__version__: str
