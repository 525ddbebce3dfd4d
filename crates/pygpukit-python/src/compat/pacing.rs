//! Shares of a device's time, in numbers.

use super::clock::{Clock, milliseconds};
use crate::units::{MillisecondsArg, ShareArg};
use pygpukit_core::id::LaneId;
use pygpukit_core::pacing::{PacingConfig, PacingDecision, PacingEngine};
use pygpukit_core::units::{Nanoseconds, Share};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

const DEFAULT_WINDOW: Nanoseconds = Nanoseconds::new(100_000_000);
const DEFAULT_INTERVAL: Nanoseconds = Nanoseconds::new(100_000);

/// How streams are paced.
#[pyclass(name = "PacingConfig", frozen, module = "pygpukit.compat")]
pub(crate) struct PyPacingConfig(PacingConfig);

#[pymethods]
impl PyPacingConfig {
    #[new]
    #[pyo3(
        signature = (
            total_bandwidth=ShareArg(Share::ONE),
            window_ms=MillisecondsArg(DEFAULT_WINDOW),
            min_interval_ms=MillisecondsArg(DEFAULT_INTERVAL),
            adaptive=true,
        ),
        text_signature = "(total_bandwidth=1.0, window_ms=100.0, min_interval_ms=0.1, adaptive=True)"
    )]
    fn new(
        total_bandwidth: ShareArg,
        window_ms: MillisecondsArg,
        min_interval_ms: MillisecondsArg,
        adaptive: bool,
    ) -> PyResult<Self> {
        PacingConfig::new(total_bandwidth.0, window_ms.0, min_interval_ms.0, adaptive)
            .map(Self)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    #[getter]
    fn total_bandwidth(&self) -> f64 {
        self.0.total().as_f64()
    }

    #[getter]
    fn window_ms(&self) -> f64 {
        milliseconds(self.0.window())
    }

    #[getter]
    fn min_interval_ms(&self) -> f64 {
        milliseconds(self.0.min_interval())
    }

    #[getter]
    fn adaptive(&self) -> bool {
        self.0.adaptive()
    }
}

/// Whether a stream may launch.
#[pyclass(name = "PacingDecision", frozen, module = "pygpukit.compat")]
pub(crate) struct PyPacingDecision {
    decision: PacingDecision,
    now: Nanoseconds,
}

#[pymethods]
impl PyPacingDecision {
    fn can_launch(&self) -> bool {
        matches!(self.decision, PacingDecision::Launch)
    }

    fn is_throttled(&self) -> bool {
        matches!(self.decision, PacingDecision::Throttle { .. })
    }

    fn wait_ms(&self) -> f64 {
        let wait = |until: Nanoseconds| milliseconds(until.saturating_sub(self.now));
        match self.decision {
            PacingDecision::Launch => 0.0,
            PacingDecision::Wait { until } => wait(until),
            PacingDecision::Throttle { until } => until.map_or(f64::INFINITY, wait),
        }
    }

    #[getter]
    fn decision_type(&self) -> &'static str {
        match self.decision {
            PacingDecision::Launch => "Launch",
            PacingDecision::Wait { .. } => "Wait",
            PacingDecision::Throttle { .. } => "Throttle",
        }
    }

    fn __repr__(&self) -> String {
        let (decision, wait) = (self.decision_type(), self.wait_ms());
        format!("<PacingDecision {decision}: {wait} ms>")
    }
}

/// One stream in numbers.
#[pyclass(
    name = "StreamPacingStats",
    frozen,
    get_all,
    module = "pygpukit.compat"
)]
pub(crate) struct PyStreamPacingStats {
    stream_id: u64,
    bandwidth: f64,
    launches_in_window: u64,
    total_launches: u64,
    throttled_count: u64,
    debt_ms: f64,
}

/// All streams in numbers.
#[pyclass(name = "PacingStats", frozen, get_all, module = "pygpukit.compat")]
pub(crate) struct PyPacingStats {
    stream_count: usize,
    used_bandwidth: f64,
    available_bandwidth: f64,
    total_launches: u64,
    total_throttled: u64,
    total_waited: u64,
}

/// Gives each stream its share of a device's time.
#[pyclass(name = "KernelPacingEngine", frozen, module = "pygpukit.compat")]
pub(crate) struct PyKernelPacingEngine {
    engine: Mutex<PacingEngine>,
    clock: Clock,
}

impl PyKernelPacingEngine {
    fn lock(&self) -> MutexGuard<'_, PacingEngine> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyKernelPacingEngine {
    #[new]
    #[pyo3(signature = (config=None, clock=None))]
    fn new(
        py: Python<'_>,
        config: Option<PyRef<'_, PyPacingConfig>>,
        clock: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let config = config.map_or_else(PacingConfig::default, |config| config.0);
        Ok(Self {
            engine: Mutex::new(PacingEngine::new(config)),
            clock: Clock::new(py, clock)?,
        })
    }

    fn allocate_stream(
        &self,
        py: Python<'_>,
        stream_id: u64,
        bandwidth: ShareArg,
    ) -> PyResult<bool> {
        let now = self.clock.now(py)?;
        let stream = LaneId::new(stream_id);
        Ok(self.lock().allocate(now, stream, bandwidth.0).is_ok())
    }

    fn release_stream(&self, stream_id: u64) -> bool {
        self.lock().release(LaneId::new(stream_id))
    }

    fn should_launch(&self, py: Python<'_>, stream_id: u64) -> PyResult<PyPacingDecision> {
        let now = self.clock.now(py)?;
        let decision = self.lock().decide(now, LaneId::new(stream_id));
        Ok(PyPacingDecision { decision, now })
    }

    fn record_launch(&self, py: Python<'_>, stream_id: u64) -> PyResult<bool> {
        let now = self.clock.now(py)?;
        Ok(self.lock().launch(now, LaneId::new(stream_id)))
    }

    fn record_completion(
        &self,
        py: Python<'_>,
        stream_id: u64,
        duration_ms: MillisecondsArg,
    ) -> PyResult<bool> {
        let now = self.clock.now(py)?;
        let stream = LaneId::new(stream_id);
        Ok(self.lock().complete(now, stream, duration_ms.0))
    }

    fn record_throttle(&self, stream_id: u64) -> bool {
        self.lock().throttle(LaneId::new(stream_id))
    }

    fn record_wait(&self) {
        self.lock().wait();
    }

    fn stream_stats(
        &self,
        py: Python<'_>,
        stream_id: u64,
    ) -> PyResult<Option<PyStreamPacingStats>> {
        let now = self.clock.now(py)?;
        let stats = self.lock().stream_stats(now, LaneId::new(stream_id));
        Ok(stats.map(|stats| PyStreamPacingStats {
            stream_id,
            bandwidth: stats.bandwidth.as_f64(),
            launches_in_window: stats.launches_in_window,
            total_launches: stats.launches,
            throttled_count: stats.throttled,
            debt_ms: milliseconds(stats.debt),
        }))
    }

    fn stats(&self) -> PyPacingStats {
        let stats = self.lock().stats();
        PyPacingStats {
            stream_count: stats.streams,
            used_bandwidth: stats.used.as_f64(),
            available_bandwidth: stats.available.as_f64(),
            total_launches: stats.launches,
            total_throttled: stats.throttled,
            total_waited: stats.waited,
        }
    }

    fn reset(&self) {
        let mut engine = self.lock();
        *engine = PacingEngine::new(*engine.config());
    }
}
