//! Copies queued by direction, in numbers.

use super::clock::Clock;
use super::transfer_op::{DirectionArg, Pointers, PyTransferOp, Stream};
use crate::units::{BytesArg, DurationArg};
use pygpukit_core::id::TransferId;
use pygpukit_core::transfer::{Direction, Limits, Request, TransferEngine};
use pygpukit_core::units::Bytes;
use pyo3::prelude::*;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An engine at one moment.
#[pyclass(name = "TransferStats", frozen, get_all, module = "pygpukit.compat")]
pub(crate) struct PyTransferStats {
    total_queued: u64,
    completed_count: u64,
    failed_count: u64,
    cancelled_count: u64,
    pending_count: u64,
    in_progress_count: usize,
    total_bytes: u64,
    h2d_bytes: u64,
    d2h_bytes: u64,
    d2d_bytes: u64,
    avg_h2d_bandwidth: f64,
    avg_d2h_bandwidth: f64,
    avg_d2d_bandwidth: f64,
}

/// Hands out copies direction by direction.
#[pyclass(name = "AsyncTransferEngine", frozen, module = "pygpukit.compat")]
pub(crate) struct PyAsyncTransferEngine {
    engine: Mutex<TransferEngine<Pointers>>,
    clock: Clock,
}

impl PyAsyncTransferEngine {
    fn lock(&self) -> MutexGuard<'_, TransferEngine<Pointers>> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enqueue(
        &self,
        py: Python<'_>,
        direction: Direction,
        pointers: Pointers,
        size: Bytes,
        priority: i32,
    ) -> PyResult<u64> {
        let now = self.clock.now(py)?;
        let request = Request {
            direction,
            priority,
            size,
            payload: pointers,
        };
        Ok(self.lock().queue(now, request).get())
    }
}

const PCIE: Bytes = Bytes::new(25_000_000_000);
const DEVICE_MEMORY: Bytes = Bytes::new(1_000_000_000_000);

#[pymethods]
impl PyAsyncTransferEngine {
    #[new]
    #[pyo3(
        signature = (max_concurrent=NonZeroUsize::MIN.saturating_add(3), max_latency=None, h2d_bandwidth=BytesArg(PCIE), d2h_bandwidth=BytesArg(PCIE), d2d_bandwidth=BytesArg(DEVICE_MEMORY), clock=None),
        text_signature = "(max_concurrent=4, max_latency=None, h2d_bandwidth='25GB', d2h_bandwidth='25GB', d2d_bandwidth='1TB', clock=None)"
    )]
    #[expect(clippy::similar_names, reason = "Python's keywords")]
    fn new(
        py: Python<'_>,
        max_concurrent: NonZeroUsize,
        max_latency: Option<DurationArg>,
        h2d_bandwidth: BytesArg,
        d2h_bandwidth: BytesArg,
        d2d_bandwidth: BytesArg,
        clock: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let whole = Limits::new(max_concurrent);
        let limits = max_latency.map_or(whole, |latency| {
            whole
                .within(Direction::HostToDevice, latency.0, h2d_bandwidth.0)
                .within(Direction::DeviceToHost, latency.0, d2h_bandwidth.0)
                .within(Direction::DeviceToDevice, latency.0, d2d_bandwidth.0)
        });
        Ok(Self {
            engine: Mutex::new(TransferEngine::new(limits)),
            clock: Clock::new(py, clock)?,
        })
    }

    fn enqueue_h2d(
        &self,
        py: Python<'_>,
        host_ptr: u64,
        device_ptr: u64,
        size: BytesArg,
    ) -> PyResult<u64> {
        let pointers = Pointers {
            src: host_ptr,
            dst: device_ptr,
        };
        self.enqueue(py, Direction::HostToDevice, pointers, size.0, 0)
    }

    fn enqueue_d2h(
        &self,
        py: Python<'_>,
        device_ptr: u64,
        host_ptr: u64,
        size: BytesArg,
    ) -> PyResult<u64> {
        let pointers = Pointers {
            src: device_ptr,
            dst: host_ptr,
        };
        self.enqueue(py, Direction::DeviceToHost, pointers, size.0, 0)
    }

    fn enqueue_d2d(
        &self,
        py: Python<'_>,
        src_ptr: u64,
        dst_ptr: u64,
        size: BytesArg,
    ) -> PyResult<u64> {
        let pointers = Pointers {
            src: src_ptr,
            dst: dst_ptr,
        };
        self.enqueue(py, Direction::DeviceToDevice, pointers, size.0, 0)
    }

    fn enqueue_with_priority(
        &self,
        py: Python<'_>,
        transfer_type: DirectionArg,
        src_ptr: u64,
        dst_ptr: u64,
        size: BytesArg,
        priority: i32,
    ) -> PyResult<u64> {
        let pointers = Pointers {
            src: src_ptr,
            dst: dst_ptr,
        };
        self.enqueue(py, transfer_type.0, pointers, size.0, priority)
    }

    fn get_ready_transfers(
        &self,
        py: Python<'_>,
        max_transfers: usize,
    ) -> PyResult<Vec<PyTransferOp>> {
        let now = self.clock.now(py)?;
        let mut engine = self.lock();
        let ready = std::iter::from_fn(|| {
            let chunk = engine.next(now).chunk()?;
            let transfer = engine.get(chunk.transfer)?;
            Some(PyTransferOp::new(transfer, Some(chunk)))
        });
        Ok(ready.take(max_transfers).collect())
    }

    fn start_transfer(&self, py: Python<'_>, transfer_id: u64) -> PyResult<bool> {
        let now = self.clock.now(py)?;
        let started = self.lock().start(now, TransferId::new(transfer_id));
        Ok(started.chunk().is_some())
    }

    fn complete_transfer(&self, py: Python<'_>, transfer_id: u64) -> PyResult<bool> {
        let now = self.clock.now(py)?;
        Ok(self.lock().completed(now, TransferId::new(transfer_id)))
    }

    fn fail_transfer(&self, py: Python<'_>, transfer_id: u64, error: String) -> PyResult<bool> {
        let now = self.clock.now(py)?;
        let id = TransferId::new(transfer_id);
        Ok(self.lock().failed(now, id, error))
    }

    fn cancel_transfer(&self, py: Python<'_>, transfer_id: u64) -> PyResult<bool> {
        let now = self.clock.now(py)?;
        Ok(self.lock().cancel(now, TransferId::new(transfer_id)))
    }

    fn get_operation(&self, transfer_id: u64) -> Option<PyTransferOp> {
        let engine = self.lock();
        let transfer = engine.get(TransferId::new(transfer_id))?;
        Some(PyTransferOp::new(transfer, None))
    }

    fn get_in_progress_for_stream(&self, stream_id: u64) -> Vec<PyTransferOp> {
        let engine = self.lock();
        Direction::ALL
            .into_iter()
            .filter(|&direction| Stream::of(direction).id() == stream_id)
            .flat_map(|direction| engine.in_progress(direction))
            .map(|transfer| PyTransferOp::new(transfer, None))
            .collect()
    }

    fn has_pending_work(&self) -> bool {
        self.lock().stats().is_busy()
    }

    fn stats(&self) -> PyTransferStats {
        let stats = self.lock().stats();
        let gigabytes = |direction| stats.bandwidth(direction).get() as f64 / 1e9;
        PyTransferStats {
            total_queued: stats.queued,
            completed_count: stats.completed,
            failed_count: stats.failed,
            cancelled_count: stats.cancelled,
            pending_count: stats.pending(),
            in_progress_count: stats.in_progress,
            total_bytes: stats.total_bytes().get(),
            h2d_bytes: stats.bytes[Direction::HostToDevice].get(),
            d2h_bytes: stats.bytes[Direction::DeviceToHost].get(),
            d2d_bytes: stats.bytes[Direction::DeviceToDevice].get(),
            avg_h2d_bandwidth: gigabytes(Direction::HostToDevice),
            avg_d2h_bandwidth: gigabytes(Direction::DeviceToHost),
            avg_d2d_bandwidth: gigabytes(Direction::DeviceToDevice),
        }
    }

    fn gc(&self) -> usize {
        self.lock().forget_ended()
    }

    fn clear(&self) {
        self.lock().clear();
    }
}
