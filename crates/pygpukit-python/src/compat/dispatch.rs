//! Launches queued by stream, in numbers.

use super::clock::{Clock, seconds};
use super::launch_config::PyLaunchConfig;
use crate::units::MillisecondsArg;
use pygpukit_core::dispatch::{Dispatcher, Launch, Limits, Request, Stage};
use pygpukit_core::id::{LaneId, LaunchId};
use pygpukit_core::units::Nanoseconds;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How far a launch has come.
#[pyclass(
    name = "KernelState",
    frozen,
    eq,
    eq_int,
    hash,
    module = "pygpukit.compat"
)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PyKernelState {
    Queued,
    Launched,
    Completed,
    Failed,
    Cancelled,
}

#[pymethods]
impl PyKernelState {
    fn is_terminal(state: PyRef<'_, Self>) -> bool {
        match *state {
            Self::Queued | Self::Launched => false,
            Self::Completed | Self::Failed | Self::Cancelled => true,
        }
    }
}

impl From<&Stage> for PyKernelState {
    fn from(stage: &Stage) -> Self {
        match stage {
            Stage::Queued | Stage::HandedOut => Self::Queued,
            Stage::Launched { .. } => Self::Launched,
            Stage::Completed { .. } => Self::Completed,
            Stage::Failed { .. } => Self::Failed,
            Stage::Cancelled { .. } => Self::Cancelled,
        }
    }
}

/// What a script needs to carry a launch out.
struct Call {
    kernel_handle: u64,
    config: PyLaunchConfig,
    args: Vec<u64>,
    task_id: Option<String>,
}

/// A launch at one moment.
#[pyclass(
    name = "KernelLaunchRequest",
    frozen,
    get_all,
    module = "pygpukit.compat"
)]
pub(crate) struct PyKernelLaunchRequest {
    id: u64,
    kernel_handle: u64,
    config: PyLaunchConfig,
    args: Vec<u64>,
    state: PyKernelState,
    task_id: Option<String>,
    priority: i32,
    queued_at: f64,
    launched_at: Option<f64>,
    completed_at: Option<f64>,
    error: Option<String>,
}

impl From<&Launch<Call>> for PyKernelLaunchRequest {
    fn from(launch: &Launch<Call>) -> Self {
        let call = launch.payload();
        let stage = launch.stage();
        Self {
            id: launch.id().get(),
            kernel_handle: call.kernel_handle,
            config: call.config.clone(),
            args: call.args.clone(),
            state: stage.into(),
            task_id: call.task_id.clone(),
            priority: launch.priority(),
            queued_at: seconds(launch.queued()),
            launched_at: stage.launched().map(seconds),
            completed_at: stage.ended().map(seconds),
            error: stage.error().map(Into::into),
        }
    }
}

#[pymethods]
impl PyKernelLaunchRequest {
    fn duration(&self) -> Option<f64> {
        Some(self.completed_at? - self.launched_at?)
    }

    fn __repr__(&self) -> String {
        let (id, kernel) = (self.id, self.kernel_handle);
        format!("<KernelLaunchRequest {id} of kernel {kernel}>")
    }
}

/// A dispatcher at one moment.
#[pyclass(name = "DispatchStats", frozen, get_all, module = "pygpukit.compat")]
pub(crate) struct PyDispatchStats {
    total_queued: u64,
    completed_count: u64,
    failed_count: u64,
    cancelled_count: u64,
    pending_count: u64,
    in_flight_count: usize,
    avg_exec_time: f64,
    launches_per_stream: BTreeMap<u64, u64>,
}

/// Hands out launches stream by stream.
#[pyclass(name = "KernelDispatcher", frozen, module = "pygpukit.compat")]
pub(crate) struct PyKernelDispatcher {
    dispatcher: Mutex<Dispatcher<Call>>,
    clock: Clock,
}

impl PyKernelDispatcher {
    fn lock(&self) -> MutexGuard<'_, Dispatcher<Call>> {
        self.dispatcher
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn enqueue(
        &self,
        py: Python<'_>,
        call: Call,
        priority: i32,
        predicted: Nanoseconds,
    ) -> PyResult<u64> {
        let now = self.clock.now(py)?;
        let request = Request {
            lane: LaneId::new(call.config.stream_id()),
            priority,
            predicted,
            payload: call,
        };
        Ok(self.lock().queue(now, request).get())
    }
}

#[pymethods]
impl PyKernelDispatcher {
    #[new]
    #[pyo3(signature = (max_in_flight=NonZeroUsize::MIN.saturating_add(3), max_in_flight_ms=None, clock=None), text_signature = "(max_in_flight=4, max_in_flight_ms=None, clock=None)")]
    fn new(
        py: Python<'_>,
        max_in_flight: NonZeroUsize,
        max_in_flight_ms: Option<MillisecondsArg>,
        clock: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let limits = Limits {
            launches: max_in_flight,
            time: max_in_flight_ms.map_or(Limits::default().time, |time| time.0),
        };
        Ok(Self {
            dispatcher: Mutex::new(Dispatcher::new(limits)),
            clock: Clock::new(py, clock)?,
        })
    }

    #[pyo3(
        signature = (kernel_handle, config, args=None, task_id=None, priority=0, predicted_ms=MillisecondsArg(Nanoseconds::ZERO)),
        text_signature = "($self, kernel_handle, config, args=None, task_id=None, priority=0, predicted_ms=0.0)"
    )]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn queue(
        &self,
        py: Python<'_>,
        kernel_handle: u64,
        config: PyRef<'_, PyLaunchConfig>,
        args: Option<Vec<u64>>,
        task_id: Option<String>,
        priority: i32,
        predicted_ms: MillisecondsArg,
    ) -> PyResult<u64> {
        let call = Call {
            kernel_handle,
            config: config.clone(),
            args: args.unwrap_or_default(),
            task_id,
        };
        self.enqueue(py, call, priority, predicted_ms.0)
    }

    #[pyo3(signature = (task_id, kernel_handle, config, args=None))]
    fn queue_for_task(
        &self,
        py: Python<'_>,
        task_id: String,
        kernel_handle: u64,
        config: PyRef<'_, PyLaunchConfig>,
        args: Option<Vec<u64>>,
    ) -> PyResult<u64> {
        let call = Call {
            kernel_handle,
            config: config.clone(),
            args: args.unwrap_or_default(),
            task_id: Some(task_id),
        };
        self.enqueue(py, call, 0, Nanoseconds::ZERO)
    }

    fn get_ready(&self, max_requests: usize) -> Vec<PyKernelLaunchRequest> {
        let mut dispatcher = self.lock();
        let ready = dispatcher.next(max_requests);
        let requests = ready.into_iter().filter_map(|id| dispatcher.get(id));
        requests.map(PyKernelLaunchRequest::from).collect()
    }

    fn mark_launched(&self, py: Python<'_>, request_id: u64) -> PyResult<bool> {
        let now = self.clock.now(py)?;
        Ok(self.lock().launched(now, LaunchId::new(request_id)))
    }

    fn mark_completed(&self, py: Python<'_>, request_id: u64) -> PyResult<bool> {
        let now = self.clock.now(py)?;
        Ok(self.lock().completed(now, LaunchId::new(request_id)))
    }

    fn mark_failed(&self, py: Python<'_>, request_id: u64, error: String) -> PyResult<bool> {
        let now = self.clock.now(py)?;
        Ok(self.lock().failed(now, LaunchId::new(request_id), error))
    }

    fn cancel(&self, py: Python<'_>, request_id: u64) -> PyResult<bool> {
        let now = self.clock.now(py)?;
        Ok(self.lock().cancel(now, LaunchId::new(request_id)))
    }

    fn get_request(&self, request_id: u64) -> Option<PyKernelLaunchRequest> {
        self.lock().get(LaunchId::new(request_id)).map(Into::into)
    }

    fn get_in_flight(&self, stream_id: u64) -> Vec<PyKernelLaunchRequest> {
        let dispatcher = self.lock();
        let in_flight = dispatcher.select(|launch| {
            launch.lane().get() == stream_id && matches!(launch.stage(), Stage::Launched { .. })
        });
        in_flight.into_iter().map(Into::into).collect()
    }

    fn get_requests_for_task(&self, task_id: &str) -> Vec<PyKernelLaunchRequest> {
        let dispatcher = self.lock();
        let requests =
            dispatcher.select(|launch| launch.payload().task_id.as_deref() == Some(task_id));
        requests.into_iter().map(Into::into).collect()
    }

    fn has_pending_work(&self) -> bool {
        self.lock().stats().is_busy()
    }

    fn stats(&self) -> PyDispatchStats {
        let dispatcher = self.lock();
        let stats = dispatcher.stats();
        PyDispatchStats {
            total_queued: stats.queued,
            completed_count: stats.completed,
            failed_count: stats.failed,
            cancelled_count: stats.cancelled,
            pending_count: stats.pending(),
            in_flight_count: stats.running,
            avg_exec_time: seconds(stats.average_run_time()),
            launches_per_stream: dispatcher
                .launched_by_lane()
                .map(|(lane, launches)| (lane.get(), launches))
                .collect(),
        }
    }

    fn gc(&self) -> usize {
        self.lock().forget_ended()
    }

    fn clear(&self) {
        self.lock().clear();
    }
}
