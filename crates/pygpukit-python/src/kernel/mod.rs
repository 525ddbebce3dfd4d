//! Custom kernels: `jit`, and what it returns.

mod argument;
mod compiler;
mod config;
mod producer;

pub(crate) use argument::PyNullPointer;
pub(crate) use compiler::{
    PyCompilerCandidate, PyDiagnostic, cancel_at_exit, compiler_candidates, find_compilers,
};
pub(crate) use config::{PyLaunchConfig, lengths};

use crate::array::PyArray;
use crate::device::AnyDevice;
use crate::error::PyError;
use crate::run::{run, run_apart};
use crate::scope;
use crate::stream::PyStream;
use argument::argument;
use config::{AnyBlock, AnyGrid, AnyShared, Config};
use pygpukit_device::Stream;
use pygpukit_device::jit::{Argument, Kernel, LaunchOptions};
use pygpukit_device::nvrtc::{Arch, Source, Toolchain};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;

/// A kernel of CUDA C source.
#[pyclass(name = "Kernel", frozen, weakref, module = "pygpukit.kernel")]
pub(crate) struct PyKernel {
    kernel: Arc<Kernel>,
    /// What `jit` was told.
    defaults: Config,
}

/// A kernel whose launch is configured: all keywords are the kernel's.
#[pyclass(name = "ConfiguredKernel", frozen, module = "pygpukit.kernel")]
pub(crate) struct PyConfiguredKernel {
    kernel: Arc<Kernel>,
    config: Config,
    stream: Option<Stream>,
}

/// A call with its arguments in the order of the parameters.
struct Call {
    arguments: Arc<[Argument]>,
    options: LaunchOptions,
    stream: Stream,
    /// Where the owners of memory that is not ours go on.
    producers: Vec<Stream>,
}

impl Call {
    fn new(
        kernel: &Kernel,
        config: &Config,
        stream: Option<Stream>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let py = args.py();
        let mut objects: Vec<Bound<'_, PyAny>> = args.iter().collect();
        let mut names: Vec<String> = Vec::new();
        for (name, object) in kwargs.into_iter().flatten() {
            names.push(name.extract()?);
            objects.push(object);
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let order = kernel.bind(args.len(), &names).map_err(PyError::from)?;
        let objects: Vec<&Bound<'_, PyAny>> = order.iter().map(|&place| &objects[place]).collect();
        // Memory of other libraries becomes ready for the stream that is current.
        let arguments = scope::with_stream(py, stream.as_ref(), || {
            objects
                .iter()
                .map(|object| argument(object))
                .collect::<PyResult<Vec<_>>>()
        })?;
        let device = arguments.iter().find_map(Argument::device);
        let stream = match (stream, device) {
            (Some(stream), _) => stream,
            (None, Some(device)) => scope::stream_on(py, device)?,
            (None, None) => scope::current_stream(py)?,
        };
        let mut producers = Vec::new();
        for (argument, object) in arguments.iter().zip(&objects) {
            let is_ours = object.is_instance_of::<PyArray>();
            if let (false, Some(device)) = (is_ours, argument.device()) {
                producers.extend(producer::stream_of(object, device)?);
            }
        }
        let bound = PyDict::new(py);
        for (parameter, object) in kernel.signature().parameters.iter().zip(objects) {
            bound.set_item(&parameter.name, object)?;
        }
        Ok(Self {
            arguments: arguments.into(),
            options: config.options(&bound)?,
            stream,
            producers,
        })
    }

    /// Compiles the kernel if that has not happened yet, so that Ctrl-C ends the wait.
    fn prepare(&self, py: Python<'_>, kernel: &Arc<Kernel>) -> PyResult<()> {
        if kernel.is_compiled() {
            return Ok(());
        }
        let kernel = Arc::clone(kernel);
        let device = self.stream.device().clone();
        let arguments = Arc::clone(&self.arguments);
        run_apart(py, move || kernel.prepare(&device, &arguments))
    }

    fn launch(&self, py: Python<'_>, kernel: &Arc<Kernel>) -> PyResult<()> {
        self.prepare(py, kernel)?;
        run(py, || {
            // SAFETY: `jit` documents that what a kernel touches is its author's promise.
            unsafe { kernel.launch(&self.stream, self.options, &self.arguments) }?;
            let wait = |producer: &Stream| producer.wait_stream(&self.stream);
            self.producers.iter().try_for_each(wait)
        })
    }

    fn config(&self, py: Python<'_>, kernel: &Arc<Kernel>) -> PyResult<PyLaunchConfig> {
        self.prepare(py, kernel)?;
        let (device, options) = (self.stream.device(), self.options);
        run(py, || {
            kernel.launch_config(device, options, &self.arguments)
        })
        .map(PyLaunchConfig)
    }
}

#[pymethods]
impl PyKernel {
    #[pyo3(signature = (*args, grid=None, block=None, shared=None, stream=None, **kwargs))]
    #[expect(clippy::too_many_arguments, reason = "keywords of a Python call")]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        grid: Option<AnyGrid>,
        block: Option<AnyBlock>,
        shared: Option<AnyShared>,
        stream: Option<PyRef<'_, PyStream>>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let config = self.defaults.overridden(py, grid, block, shared);
        let stream = stream.map(|stream| stream.0.clone());
        Call::new(&self.kernel, &config, stream, args, kwargs)?.launch(py, &self.kernel)
    }

    #[pyo3(signature = (*args, grid=None, block=None, shared=None, stream=None, **kwargs))]
    #[expect(clippy::too_many_arguments, reason = "keywords of a Python call")]
    fn launch_config(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        grid: Option<AnyGrid>,
        block: Option<AnyBlock>,
        shared: Option<AnyShared>,
        stream: Option<PyRef<'_, PyStream>>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyLaunchConfig> {
        let config = self.defaults.overridden(py, grid, block, shared);
        let stream = stream.map(|stream| stream.0.clone());
        Call::new(&self.kernel, &config, stream, args, kwargs)?.config(py, &self.kernel)
    }

    #[pyo3(signature = (*, grid=None, block=None, shared=None, stream=None))]
    fn with_config(
        &self,
        py: Python<'_>,
        grid: Option<AnyGrid>,
        block: Option<AnyBlock>,
        shared: Option<AnyShared>,
        stream: Option<PyRef<'_, PyStream>>,
    ) -> PyConfiguredKernel {
        PyConfiguredKernel {
            kernel: Arc::clone(&self.kernel),
            config: self.defaults.overridden(py, grid, block, shared),
            stream: stream.map(|stream| stream.0.clone()),
        }
    }

    #[pyo3(signature = (arch=None))]
    fn compile(&self, py: Python<'_>, arch: Option<&str>) -> PyResult<()> {
        let kernel = Arc::clone(&self.kernel);
        let arch = arch
            .map(str::parse::<Arch>)
            .transpose()
            .map_err(PyError::from)?;
        if let Some(arch) = arch {
            return run_apart(py, move || kernel.compile(Some(arch), None).map(drop));
        }
        let device = AnyDevice::open_or_current(py, None)?;
        run_apart(py, move || kernel.compile_for(&device).map(drop))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.kernel.signature().name
    }

    #[getter]
    fn source(&self) -> &str {
        self.kernel.source().text()
    }

    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.kernel.options())
    }

    #[getter]
    fn __name__(&self) -> &str {
        self.name()
    }

    #[getter]
    fn __signature__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let parameters = self.kernel.signature().parameters.iter();
        let parameters: Vec<_> = parameters
            .map(|parameter| (&parameter.name, &parameter.declared))
            .collect();
        py.import("pygpukit._signature")?
            .call_method1("build", (parameters,))
    }

    fn __repr__(&self) -> String {
        describe(&self.kernel)
    }
}

#[pymethods]
impl PyConfiguredKernel {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let stream = self.stream.clone();
        Call::new(&self.kernel, &self.config, stream, args, kwargs)?.launch(py, &self.kernel)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn launch_config(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyLaunchConfig> {
        let stream = self.stream.clone();
        Call::new(&self.kernel, &self.config, stream, args, kwargs)?.config(py, &self.kernel)
    }

    fn __repr__(&self) -> String {
        describe(&self.kernel)
    }
}

/// `<pygpukit.Kernel scale(float* x, int n)>`.
fn describe(kernel: &Kernel) -> String {
    let signature = kernel.signature();
    let parameters: Vec<String> = signature
        .parameters
        .iter()
        .map(|parameter| format!("{} {}", parameter.declared, parameter.name))
        .collect();
    format!(
        "<pygpukit.Kernel {}({})>",
        signature.expression,
        parameters.join(", ")
    )
}

/// A kernel of CUDA C source: text, or the path of a file.
#[pyfunction]
#[pyo3(signature = (source, func, options=None, *, grid=None, block=None, strided=None))]
pub(crate) fn jit(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    func: &str,
    options: Option<Vec<String>>,
    grid: Option<AnyGrid>,
    block: Option<AnyBlock>,
    strided: Option<Vec<String>>,
) -> PyResult<PyKernel> {
    let text = source.cast::<PyString>().ok();
    let text = text.map(|text| text.extract::<String>()).transpose()?;
    let path = match text {
        Some(_) => None,
        None => Some(path_of(source)?),
    };
    let kernel = run(py, || {
        let source = match (text, path) {
            (Some(text), _) => Source::from_text(text, format!("{func}.cu")),
            (None, path) => Source::from_path(&path.unwrap_or_default())?,
        };
        let (options, strided) = (options.unwrap_or_default(), strided.unwrap_or_default());
        Kernel::new(Toolchain::shared(), source, func, &options, &strided)
    })?;
    Ok(PyKernel {
        kernel: Arc::new(kernel),
        defaults: Config::new(grid, block),
    })
}

fn path_of(source: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    source.extract::<PathBuf>().map_err(|_| {
        PyTypeError::new_err(format!(
            "the source of a kernel is a str with its text or a Path, not {}",
            crate::convert::type_name(source)
        ))
    })
}
