//! Where the classes of existing scripts take the time from.

use crate::units::DurationArg;
use pygpukit_core::units::Nanoseconds;
use pyo3::prelude::*;

/// A source of time.
pub(crate) enum Clock {
    /// Python's `time.monotonic_ns`.
    Monotonic(Py<PyAny>),
    /// A callable that returns seconds.
    Given(Py<PyAny>),
}

impl Clock {
    /// The clock that was given, or else the monotonic one.
    pub(crate) fn new(py: Python<'_>, clock: Option<Py<PyAny>>) -> PyResult<Self> {
        if let Some(clock) = clock {
            return Ok(Self::Given(clock));
        }
        let monotonic = py.import("time")?.getattr("monotonic_ns")?;
        Ok(Self::Monotonic(monotonic.unbind()))
    }

    /// The time now.
    pub(crate) fn now(&self, py: Python<'_>) -> PyResult<Nanoseconds> {
        match self {
            Self::Monotonic(clock) => clock.call0(py)?.extract(py).map(Nanoseconds::new),
            Self::Given(clock) => {
                let now: DurationArg = clock.bind(py).call0()?.extract()?;
                Ok(now.0)
            }
        }
    }
}

/// A moment as Python says it.
pub(crate) fn seconds(moment: Nanoseconds) -> f64 {
    moment.get() as f64 / 1e9
}
