//! Logs, played again.

use super::admission::seconds;
use super::stats::record;
use crate::run::run;
use pygpukit_core::scheduler::Replay;
use pygpukit_device::Error;
use pyo3::prelude::*;
use pyo3::types::PyDict;

record! {
    /// What a log turned out to hold.
    PyReplay, "pygpukit.log", "Replay",
    events: usize,
    decisions: usize,
    hash: String,
    span: f64,
    grants: u64,
    granted_time: f64,
    submitted: u64,
    started: u64,
    queued: u64,
    completed: u64,
    failed: u64,
    cancelled: u64,
    rejected: u64,
    refused_growths: u64,
}

/// Plays the text of a log.
#[pyfunction]
pub(crate) fn replay_text(py: Python<'_>, text: &str) -> PyResult<PyReplay> {
    let replay = run(py, || {
        Replay::run(text.lines()).map_err(|error| Error::Value(error.to_string()))
    })?;
    let counters = replay.counters;
    Ok(PyReplay {
        events: replay.events,
        decisions: replay.actions,
        hash: format!("{:016x}", replay.decisions),
        span: seconds(replay.span),
        grants: replay.grants,
        granted_time: seconds(replay.granted),
        submitted: counters.submitted,
        started: counters.started,
        queued: counters.queued,
        completed: counters.completed,
        failed: counters.failed,
        cancelled: counters.cancelled,
        rejected: counters.rejected,
        refused_growths: counters.refused,
    })
}
