//! Statistics.

use super::admission::seconds;
use pygpukit_core::ledger::Resource;
use pygpukit_core::scheduler::TaskStage;
use pygpukit_device::scheduler::{Outcome, SchedulerReport, Task, TaskReport, TaskState};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A frozen class with getters, `as_dict` and a `repr`.
macro_rules! record {
    ($(#[$doc:meta])* $class:ident, $module:literal, $name:literal, $($field:ident: $type:ty),* $(,)?) => {
        $(#[$doc])*
        #[pyclass(name = $name, frozen, get_all, module = $module)]
        pub(crate) struct $class {
            $($field: $type),*
        }

        #[pymethods]
        impl $class {
            fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                let all = PyDict::new(py);
                $(all.set_item(stringify!($field), &self.$field)?;)*
                Ok(all)
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                Ok(format!("{}({})", $name, self.as_dict(py)?))
            }
        }
    };
}

pub(super) use record;

record! {
    /// A device's scheduler at one moment.
    PySchedulerStats, "pygpukit.scheduler", "SchedulerStats",
    total_memory: u64,
    memory_limit: u64,
    reserved_memory: u64,
    borrowed_memory: u64,
    returned_memory: u64,
    available_memory: u64,
    reserved_bandwidth: f64,
    available_bandwidth: f64,
    enforced: bool,
    workers: u32,
    running: usize,
    queued: usize,
    unfinished: usize,
    submitted: u64,
    completed: u64,
    failed: u64,
    cancelled: u64,
    rejected: u64,
}

record! {
    /// A task at one moment.
    PyTaskStats, "pygpukit.scheduler", "TaskStats",
    id: u64,
    name: Option<String>,
    state: &'static str,
    policy: &'static str,
    priority: i32,
    weight: u32,
    evictable: bool,
    position: Option<usize>,
    waits_for: Vec<&'static str>,
    memory_request: u64,
    memory_limit: Option<u64>,
    held_memory: u64,
    borrowed_memory: u64,
    used_memory: u64,
    bandwidth: f64,
    bandwidth_cap: f64,
    enforced: bool,
    waited: f64,
    ran: Option<f64>,
    missed_deadline: Option<bool>,
}

impl From<SchedulerReport> for PySchedulerStats {
    fn from(report: SchedulerReport) -> Self {
        let device = report.device;
        let counters = device.counters;
        Self {
            total_memory: device.total_memory.get(),
            memory_limit: report.memory_limit.get(),
            reserved_memory: device.reserved_memory.get(),
            borrowed_memory: device.borrowed_memory.get(),
            returned_memory: device.returned_memory.get(),
            available_memory: device.available_memory.get(),
            reserved_bandwidth: device.reserved_bandwidth.as_f64(),
            available_bandwidth: device.available_bandwidth.as_f64(),
            enforced: false,
            workers: device.workers,
            running: device.running,
            queued: device.queued,
            unfinished: report.unfinished,
            submitted: counters.submitted,
            completed: counters.completed,
            failed: counters.failed,
            cancelled: counters.cancelled,
            rejected: counters.rejected,
        }
    }
}

impl PyTaskStats {
    pub(super) fn new(task: &Task, report: &TaskReport) -> Self {
        let request = task.request();
        let core = report.core.as_ref();
        let waits_for = core.map(|core| match core.stage {
            TaskStage::Queued { waits_for, .. } => waits_for.iter().map(Resource::name).collect(),
            TaskStage::Running { .. } | TaskStage::Ended => Vec::new(),
        });
        Self {
            id: task.id().get(),
            name: task.name().map(Into::into),
            state: state_name(&report.state),
            policy: request.policy().name(),
            priority: request.spec().priority,
            weight: request.weight(),
            evictable: request.spec().evictable,
            position: report.position(),
            waits_for: waits_for.unwrap_or_default(),
            memory_request: request.memory().get(),
            memory_limit: request.memory_limit().map(pygpukit_core::units::Bytes::get),
            held_memory: core.map_or(0, |core| core.held_memory.get()),
            borrowed_memory: core.map_or(0, |core| core.borrowed_memory.get()),
            used_memory: report.used_memory.get(),
            bandwidth: request.bandwidth().as_f64(),
            bandwidth_cap: request.bandwidth_cap().as_f64(),
            enforced: false,
            waited: seconds(report.waited),
            ran: report.ran.map(seconds),
            missed_deadline: report.missed_deadline,
        }
    }
}

/// The word for how far a task is.
pub(super) fn state_name(state: &TaskState) -> &'static str {
    match state {
        TaskState::Queued => "queued",
        TaskState::Running => "running",
        TaskState::Ended(Outcome::Completed) => "completed",
        TaskState::Ended(Outcome::Failed(_)) => "failed",
        TaskState::Ended(Outcome::Cancelled) => "cancelled",
        TaskState::Ended(Outcome::Rejected(_)) => "rejected",
    }
}
