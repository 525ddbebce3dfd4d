//! The time, as a Python function says it.

use pygpukit_core::units::Nanoseconds;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A function without arguments that returns seconds, and never fewer than before.
pub(crate) struct Clock(Py<PyAny>);

impl Clock {
    /// `function`, or Python's monotonic clock.
    pub(crate) fn new(py: Python<'_>, function: Option<Py<PyAny>>) -> PyResult<Self> {
        let monotonic = || Ok(py.import("time")?.getattr("monotonic")?.unbind());
        function.map_or_else(monotonic, Ok).map(Self)
    }

    /// The time, to the nearest nanosecond: sums of seconds are not exact.
    ///
    /// Nothing may be locked meanwhile: the function may be anything.
    pub(crate) fn now(&self, py: Python<'_>) -> PyResult<Nanoseconds> {
        let seconds = self.0.bind(py).call0()?.extract()?;
        let now = Nanoseconds::nearest(seconds, Nanoseconds::ONE_SECOND);
        now.map_err(|error| PyValueError::new_err(format!("the clock: {error}")))
    }
}

/// In seconds, as the clock says them.
pub(crate) fn seconds(time: Nanoseconds) -> f64 {
    time.in_units(Nanoseconds::ONE_SECOND)
}

/// In milliseconds.
pub(crate) fn milliseconds(time: Nanoseconds) -> f64 {
    time.in_units(Nanoseconds::ONE_MILLISECOND)
}
