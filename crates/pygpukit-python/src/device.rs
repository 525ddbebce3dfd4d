//! Devices.

use crate::run::{run, wait};
use crate::scope;
use pygpukit_device::backend::{DeviceId, DeviceInfo};
use pygpukit_device::{Device, DeviceSpec, Error, Presence, cuda_presence};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyString, PyType};

/// A device by name. It is opened at its first use.
#[pyclass(name = "Device", frozen, eq, hash, module = "pygpukit.device")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyDevice(DeviceId);

impl From<&Device> for PyDevice {
    fn from(device: &Device) -> Self {
        Self(device.id())
    }
}

#[pymethods]
impl PyDevice {
    #[new]
    fn new(py: Python<'_>, device: AnyDevice) -> PyResult<Self> {
        run(py, || check_exists(device.0))?;
        Ok(Self(device.0))
    }

    #[getter]
    fn name(&self) -> String {
        self.0.to_string()
    }

    #[getter]
    fn r#type(&self) -> &'static str {
        match self.0 {
            DeviceId::Cpu => "cpu",
            DeviceId::Cuda(_) => "cuda",
        }
    }

    #[getter]
    fn index(&self) -> u32 {
        match self.0 {
            DeviceId::Cpu => 0,
            DeviceId::Cuda(ordinal) => ordinal,
        }
    }

    #[getter]
    fn info(&self, py: Python<'_>) -> PyResult<PyDeviceInfo> {
        run(py, || {
            Ok(PyDeviceInfo(Device::by_id(self.0)?.info().clone()))
        })
    }

    /// Blocks until the current stream of this device is done.
    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        let device = run(py, || Device::by_id(self.0))?;
        wait(py, |patience| device.synchronize_for(patience))
    }

    fn trim(&self, py: Python<'_>) -> PyResult<u64> {
        run(py, || Device::by_id(self.0)?.trim())
    }

    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        let py = slf.py();
        let id = slf.get().0;
        let device = run(py, || Device::by_id(id))?;
        scope::enter(py, scope::stream_on(py, &device)?, Some(slf.as_any()))?;
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(
        slf: &Bound<'_, Self>,
        _exception: &Bound<'_, pyo3::types::PyTuple>,
    ) -> PyResult<()> {
        scope::leave(slf.py(), Some(slf.as_any()))
    }

    /// A device is copied and pickled by name.
    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String,)) {
        (py.get_type::<Self>(), (self.name(),))
    }

    fn __repr__(&self) -> String {
        format!("Device('{}')", self.0)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }
}

/// A device, its name, or the ordinal of a CUDA device.
#[derive(Clone, Copy)]
pub(crate) struct AnyDevice(pub(crate) DeviceId);

impl<'a, 'py> FromPyObject<'a, 'py> for AnyDevice {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(device) = object.cast::<PyDevice>() {
            return Ok(Self(device.get().0));
        }
        let name = if let Ok(name) = object.cast::<PyString>() {
            // With a lone surrogate it is no UTF-8, and no name: its `repr` is.
            match name.to_cow() {
                Ok(name) => name.into_owned(),
                Err(_) => object.repr()?.to_string(),
            }
        } else if object.is_instance_of::<PyInt>() && !object.is_instance_of::<PyBool>() {
            match object.extract::<i64>() {
                Ok(ordinal) => ordinal.to_string(),
                Err(_) => format!("an integer of {} bits", crate::convert::bits(&object)?),
            }
        } else {
            return Err(not_a_device(&object));
        };
        let DeviceSpec(id) = name.parse().map_err(crate::error::PyError::from)?;
        Ok(Self(id))
    }
}

fn not_a_device(object: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!(
        "a device is a Device, a name like \"cuda:0\" or \"cpu\", or a number, not {}",
        crate::convert::type_name(object)
    ))
}

impl AnyDevice {
    /// Opens the device named, else the current one.
    pub(crate) fn open_or_current(py: Python<'_>, device: Option<Self>) -> PyResult<Device> {
        match device {
            Some(Self(id)) => run(py, || Device::by_id(id)),
            None => Ok(scope::current_stream(py)?.device().clone()),
        }
    }
}

fn check_exists(id: DeviceId) -> Result<(), Error> {
    let DeviceId::Cuda(ordinal) = id else {
        return Ok(());
    };
    let reason = match cuda_presence() {
        Presence::Absent { reason } | Presence::Unusable { reason } => reason,
        Presence::Present { count } if ordinal < count => return Ok(()),
        Presence::Present { count } => format!("there are {count} CUDA devices"),
    };
    Err(Error::DeviceNotAvailable {
        device: id.to_string(),
        reason,
    })
}

/// What a device is and has.
#[pyclass(name = "DeviceInfo", frozen, module = "pygpukit.device")]
pub(crate) struct PyDeviceInfo(DeviceInfo);

#[pymethods]
impl PyDeviceInfo {
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }
    #[getter]
    fn total_memory(&self) -> u64 {
        self.0.total_memory
    }
    #[getter]
    fn compute_capability(&self) -> Option<(u32, u32)> {
        self.0.compute_capability
    }
    #[getter]
    fn multiprocessor_count(&self) -> u32 {
        self.0.multiprocessor_count
    }
    #[getter]
    fn max_threads_per_block(&self) -> u32 {
        self.0.max_threads_per_block
    }
    #[getter]
    fn max_block(&self) -> (u32, u32, u32) {
        self.0.max_block.into()
    }
    #[getter]
    fn max_grid(&self) -> (u32, u32, u32) {
        self.0.max_grid.into()
    }
    #[getter]
    fn shared_memory_per_block(&self) -> u32 {
        self.0.shared_memory_per_block
    }
    #[getter]
    fn shared_memory_per_block_optin(&self) -> u32 {
        self.0.shared_memory_per_block_optin
    }
    #[getter]
    fn warp_size(&self) -> u32 {
        self.0.warp_size
    }
    #[getter]
    fn l2_cache_size(&self) -> u32 {
        self.0.l2_cache_size
    }
    #[getter]
    fn driver_version(&self) -> Option<(u32, u32)> {
        self.0.driver_version
    }
    fn __repr__(&self) -> String {
        let capability = self.0.compute_capability.map_or_else(
            || "None".into(),
            |(major, minor)| format!("({major}, {minor})"),
        );
        format!(
            "DeviceInfo(name={:?}, total_memory={}, compute_capability={capability}, \
             multiprocessor_count={})",
            self.0.name, self.0.total_memory, self.0.multiprocessor_count
        )
    }
}

/// What a device can do, by its compute capability. All false on the CPU.
#[pyclass(name = "DeviceCapabilities", frozen, module = "pygpukit.device")]
pub(crate) struct PyDeviceCapabilities {
    device: DeviceId,
    name: String,
    sm_version: u32,
}

#[pymethods]
impl PyDeviceCapabilities {
    #[getter]
    fn device_id(&self) -> u32 {
        PyDevice(self.device).index()
    }
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }
    #[getter]
    fn sm_version(&self) -> u32 {
        self.sm_version
    }
    #[getter]
    fn compute_capability(&self) -> u32 {
        self.sm_version
    }
    #[getter]
    fn tensorcore(&self) -> bool {
        self.sm_version >= 80
    }
    #[getter]
    fn tensorcore_fp16(&self) -> bool {
        self.sm_version >= 70
    }
    #[getter]
    fn tensorcore_bf16(&self) -> bool {
        self.sm_version >= 80
    }
    #[getter]
    fn async_copy(&self) -> bool {
        self.sm_version >= 80
    }
    fn __repr__(&self) -> String {
        format!(
            "DeviceCapabilities(name={:?}, sm_version={})",
            self.name, self.sm_version
        )
    }
}

/// The devices of this machine.
#[pyfunction]
pub(crate) fn devices(py: Python<'_>) -> PyResult<Vec<PyDevice>> {
    let ids = run(py, || Ok(pygpukit_device::devices()))?;
    Ok(ids.into_iter().map(PyDevice).collect())
}

/// The device of the innermost `with`, else the default device.
#[pyfunction]
pub(crate) fn default_device(py: Python<'_>) -> PyResult<PyDevice> {
    Ok(PyDevice::from(scope::current_stream(py)?.device()))
}

/// True if there is a CUDA device that can be used.
#[pyfunction]
pub(crate) fn is_cuda_available(py: Python<'_>) -> PyResult<bool> {
    run(py, || {
        Ok(matches!(cuda_presence(), Presence::Present { .. }))
    })
}

/// What a device is and has.
#[pyfunction]
#[pyo3(signature = (device=None))]
pub(crate) fn get_device_info(py: Python<'_>, device: Option<AnyDevice>) -> PyResult<PyDeviceInfo> {
    let device = AnyDevice::open_or_current(py, device)?;
    Ok(PyDeviceInfo(device.info().clone()))
}

/// What a device can do.
#[pyfunction]
#[pyo3(signature = (device=None))]
pub(crate) fn get_device_capabilities(
    py: Python<'_>,
    device: Option<AnyDevice>,
) -> PyResult<PyDeviceCapabilities> {
    let device = AnyDevice::open_or_current(py, device)?;
    let info = device.info();
    Ok(PyDeviceCapabilities {
        device: device.id(),
        name: info.name.clone(),
        sm_version: info
            .compute_capability
            .map_or(0, |(major, minor)| 10 * major + minor),
    })
}

/// What became of the search for the NVIDIA driver and its devices, in words.
#[pyfunction]
pub(crate) fn driver_verdict(py: Python<'_>) -> PyResult<String> {
    run(py, || {
        Ok(match cuda_presence() {
            Presence::Absent { reason } => format!("no GPU: {reason}"),
            Presence::Unusable { reason } => format!("cannot be used: {reason}"),
            Presence::Present { count: 1 } => "1 device".into(),
            Presence::Present { count } => format!("{count} devices"),
        })
    })
}
