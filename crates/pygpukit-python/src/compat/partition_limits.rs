//! What partitions are to have, in numbers.

use crate::units::{BytesArg, ShareArg};
use pygpukit_core::partition::{ManagerConfig, PartitionLimits, Split};
use pygpukit_core::units::{Bytes, Share};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::num::NonZeroU32;

pub(super) const DEFAULT_MEMORY: Bytes = Bytes::new(8 << 30);
const DEFAULT_GROUP: NonZeroU32 = NonZeroU32::new(8).expect("8 is not 0");
const DEFAULT_STREAMS: u32 = 16;

/// What there is to be divided.
#[pyclass(name = "PartitionConfig", frozen, module = "pygpukit.compat")]
pub(crate) struct PyPartitionConfig {
    pub(super) config: ManagerConfig,
    #[pyo3(get)]
    allow_overcommit: bool,
    #[pyo3(get)]
    overcommit_ratio: f64,
}

#[pymethods]
impl PyPartitionConfig {
    #[new]
    #[pyo3(
        signature = (total_memory=BytesArg(DEFAULT_MEMORY), allow_overcommit=false, overcommit_ratio=1.0, total_sms=None, sm_group=DEFAULT_GROUP),
        text_signature = "(total_memory=8589934592, allow_overcommit=False, overcommit_ratio=1.0, total_sms=None, sm_group=8)"
    )]
    fn new(
        total_memory: BytesArg,
        allow_overcommit: bool,
        overcommit_ratio: f64,
        total_sms: Option<u32>,
        sm_group: NonZeroU32,
    ) -> PyResult<Self> {
        let exact = ManagerConfig {
            split: total_sms.map(|sms| Split::new(sms, sm_group)),
            ..ManagerConfig::new(total_memory.0)
        };
        let more = exact.overcommitted(overcommit_ratio);
        let more = more.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self {
            config: [exact, more][usize::from(allow_overcommit)],
            allow_overcommit,
            overcommit_ratio,
        })
    }

    #[getter]
    fn total_memory(&self) -> u64 {
        self.config.memory.get()
    }

    #[getter]
    fn total_sms(&self) -> Option<u32> {
        self.config.split.map(|split| split.sms())
    }

    #[getter]
    fn sm_group(&self) -> Option<u32> {
        self.config.split.map(|split| split.group())
    }
}

/// What a partition is to have. What is not said is not reserved.
#[pyclass(name = "PartitionLimits", frozen, module = "pygpukit.compat")]
pub(crate) struct PyPartitionLimits(pub(super) PartitionLimits);

#[pymethods]
impl PyPartitionLimits {
    #[new]
    #[pyo3(signature = (memory_quota=None, compute_share=None, bandwidth_share=None, max_streams=DEFAULT_STREAMS), text_signature = "(memory_quota=None, compute_share=None, bandwidth_share=None, max_streams=16)")]
    fn new(
        memory_quota: Option<BytesArg>,
        compute_share: Option<ShareArg>,
        bandwidth_share: Option<ShareArg>,
        max_streams: u32,
    ) -> Self {
        Self(PartitionLimits {
            memory: memory_quota.map(|quota| quota.0),
            compute: compute_share.map(|share| share.0),
            bandwidth: bandwidth_share.map(|share| share.0),
            streams: max_streams,
        })
    }

    #[classmethod]
    fn with_memory(_class: &Bound<'_, PyType>, quota: BytesArg) -> Self {
        Self(PartitionLimits::default()).memory(quota)
    }

    #[classmethod]
    fn with_compute(_class: &Bound<'_, PyType>, share: ShareArg) -> Self {
        Self(PartitionLimits::default()).compute(share)
    }

    fn memory(&self, quota: BytesArg) -> Self {
        Self(PartitionLimits {
            memory: Some(quota.0),
            ..self.0
        })
    }

    fn compute(&self, share: ShareArg) -> Self {
        Self(PartitionLimits {
            compute: Some(share.0),
            ..self.0
        })
    }

    fn bandwidth(&self, share: ShareArg) -> Self {
        Self(PartitionLimits {
            bandwidth: Some(share.0),
            ..self.0
        })
    }

    #[getter]
    fn memory_quota(&self) -> Option<u64> {
        self.0.memory.map(Bytes::get)
    }

    #[getter]
    fn compute_share(&self) -> Option<f64> {
        self.0.compute.map(Share::as_f64)
    }

    #[getter]
    fn bandwidth_share(&self) -> Option<f64> {
        self.0.bandwidth.map(Share::as_f64)
    }

    #[getter]
    fn max_streams(&self) -> u32 {
        self.0.streams
    }
}
