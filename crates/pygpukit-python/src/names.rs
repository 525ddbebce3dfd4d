//! Names of classes that existing scripts know other classes by.

use pyo3::prelude::*;

/// Adds them to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    // `Scheduler` and `LaunchConfig` are the classes of existing scripts, which schedule
    // and launch nothing.
    let launch_config = py.get_type::<crate::kernel::PyLaunchConfig>();
    module.add("KernelLaunchConfig", launch_config)?;
    let scheduler = py.get_type::<crate::scheduler::PyScheduler>();
    module.add("DeviceScheduler", scheduler)?;
    let scheduler_stats = py.get_type::<crate::scheduler::PySchedulerStats>();
    module.add("DeviceSchedulerStats", scheduler_stats)?;
    let task_stats = py.get_type::<crate::scheduler::PyTaskStats>();
    module.add("DeviceTaskStats", task_stats)?;
    // Scripts know the engine by two names.
    let engine = py.get_type::<crate::compat::PyAsyncTransferEngine>();
    module.add("TransferEngine", engine)
}
