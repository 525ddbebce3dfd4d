//! One copy, in numbers.

use super::clock::seconds;
use crate::convert::type_name;
use pygpukit_core::transfer::{Chunk, Direction, State, Transfer};
use pygpukit_core::units::Nanoseconds;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;

/// Between which memories a copy goes.
#[pyclass(
    name = "TransferType",
    frozen,
    eq,
    eq_int,
    hash,
    module = "pygpukit.compat"
)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PyTransferType {
    H2D,
    D2H,
    D2D,
}

impl From<Direction> for PyTransferType {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::HostToDevice => Self::H2D,
            Direction::DeviceToHost => Self::D2H,
            Direction::DeviceToDevice => Self::D2D,
        }
    }
}

/// A direction by its name.
pub(super) struct DirectionArg(pub(super) Direction);

impl<'a, 'py> FromPyObject<'a, 'py> for DirectionArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let kind = "a direction is \"h2d\", \"d2h\" or \"d2d\"";
        let text: String = object
            .extract()
            .map_err(|_| PyTypeError::new_err(format!("{kind}, not {}", type_name(&object))))?;
        match text.as_str() {
            "h2d" => Ok(Self(Direction::HostToDevice)),
            "d2h" => Ok(Self(Direction::DeviceToHost)),
            "d2d" => Ok(Self(Direction::DeviceToDevice)),
            _ => Err(PyValueError::new_err(format!("{kind}, not `{text}`"))),
        }
    }
}

/// How far a copy has come.
#[pyclass(
    name = "TransferState",
    frozen,
    eq,
    eq_int,
    hash,
    module = "pygpukit.compat"
)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PyTransferState {
    Queued,
    InProgress,
    Completed,
    Failed,
    Cancelled,
}

#[pymethods]
impl PyTransferState {
    fn is_terminal(state: PyRef<'_, Self>) -> bool {
        match *state {
            Self::Queued | Self::InProgress => false,
            Self::Completed | Self::Failed | Self::Cancelled => true,
        }
    }
}

impl From<&State> for PyTransferState {
    fn from(state: &State) -> Self {
        match state {
            State::Queued => Self::Queued,
            State::InProgress { .. } | State::Stopping { .. } => Self::InProgress,
            State::Completed { .. } => Self::Completed,
            State::Failed { .. } => Self::Failed,
            State::Cancelled { .. } => Self::Cancelled,
        }
    }
}

/// Which stream copies go on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Stream {
    Compute,
    MemcpyH2D,
    MemcpyD2H,
    Custom(u64),
}

impl Stream {
    pub(super) const fn id(self) -> u64 {
        match self {
            Self::Compute => 0,
            Self::MemcpyH2D => 1,
            Self::MemcpyD2H => 2,
            Self::Custom(id) => id,
        }
    }

    pub(super) const fn of(direction: Direction) -> Self {
        match direction {
            Direction::HostToDevice => Self::MemcpyH2D,
            Direction::DeviceToHost => Self::MemcpyD2H,
            Direction::DeviceToDevice => Self::Compute,
        }
    }
}

/// What a stream is for.
#[pyclass(name = "StreamType", frozen, eq, hash, module = "pygpukit.compat")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyStreamType(Stream);

#[pymethods]
impl PyStreamType {
    #[classattr]
    #[pyo3(name = "Compute")]
    const COMPUTE: Self = Self(Stream::Compute);
    #[classattr]
    #[pyo3(name = "MemcpyH2D")]
    const MEMCPY_H2D: Self = Self(Stream::MemcpyH2D);
    #[classattr]
    #[pyo3(name = "MemcpyD2H")]
    const MEMCPY_D2H: Self = Self(Stream::MemcpyD2H);

    #[classmethod]
    #[pyo3(name = "Custom")]
    fn custom(_class: &Bound<'_, PyType>, stream_id: u64) -> Self {
        Self(Stream::Custom(stream_id))
    }

    fn to_id(&self) -> u64 {
        self.0.id()
    }

    fn __repr__(&self) -> String {
        match self.0 {
            Stream::Compute => "StreamType.Compute".into(),
            Stream::MemcpyH2D => "StreamType.MemcpyH2D".into(),
            Stream::MemcpyD2H => "StreamType.MemcpyD2H".into(),
            Stream::Custom(id) => format!("StreamType.Custom({id})"),
        }
    }
}

/// From where to where.
pub(super) struct Pointers {
    pub(super) src: u64,
    pub(super) dst: u64,
}

/// A copy at one moment.
#[pyclass(name = "TransferOp", frozen, module = "pygpukit.compat")]
pub(crate) struct PyTransferOp {
    #[pyo3(get)]
    id: u64,
    #[pyo3(get)]
    transfer_type: PyTransferType,
    #[pyo3(get)]
    src_ptr: u64,
    #[pyo3(get)]
    dst_ptr: u64,
    #[pyo3(get)]
    size: u64,
    #[pyo3(get)]
    copied: u64,
    #[pyo3(get)]
    chunk: Option<(u64, u64)>,
    #[pyo3(get)]
    state: PyTransferState,
    #[pyo3(get)]
    stream_id: u64,
    #[pyo3(get)]
    priority: i32,
    #[pyo3(get)]
    queued_at: f64,
    #[pyo3(get)]
    started_at: Option<f64>,
    #[pyo3(get)]
    completed_at: Option<f64>,
    #[pyo3(get)]
    error: Option<String>,
    waited: Option<Nanoseconds>,
    took: Option<Nanoseconds>,
}

impl PyTransferOp {
    pub(super) fn new(transfer: &Transfer<Pointers>, chunk: Option<Chunk>) -> Self {
        let state = transfer.state();
        Self {
            id: transfer.id().get(),
            transfer_type: transfer.direction().into(),
            src_ptr: transfer.payload().src,
            dst_ptr: transfer.payload().dst,
            size: transfer.size().get(),
            copied: transfer.copied().get(),
            chunk: chunk.map(|chunk| (chunk.offset.get(), chunk.size.get())),
            state: state.into(),
            stream_id: Stream::of(transfer.direction()).id(),
            priority: transfer.priority(),
            queued_at: seconds(transfer.queued()),
            started_at: state.started().map(seconds),
            completed_at: state.ended().map(seconds),
            error: state.error().map(Into::into),
            waited: transfer.waited(),
            took: transfer.took(),
        }
    }
}

#[pymethods]
impl PyTransferOp {
    fn wait_time(&self) -> Option<f64> {
        self.waited.map(seconds)
    }

    fn duration(&self) -> Option<f64> {
        self.took.map(seconds)
    }

    fn bandwidth_gbps(&self) -> Option<f64> {
        let took = self.took.filter(|took| *took > Nanoseconds::ZERO)?;
        Some(self.copied as f64 / took.get() as f64)
    }

    fn __repr__(&self) -> String {
        format!("<TransferOp {} of {} bytes>", self.id, self.size)
    }
}
