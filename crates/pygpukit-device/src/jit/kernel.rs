//! A kernel: source, compiled per target, loaded per device, launched.

use super::argument::Argument;
use super::c_type::{CType, Parameter};
use super::compiled::Compiled;
use super::launch_config::{Decision, LaunchConfig, LaunchOptions};
use super::passed::{Passed, Value};
use super::signature::Signature;
use crate::backend::{Function, Launch, Work};
use crate::buffer::{Access, Buffer};
use crate::device::Device;
use crate::error::{ArgumentError, Error, Result};
use crate::nvrtc::{Arch, Source, Toolchain};
use crate::stream::Stream;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A kernel of CUDA C source.
///
/// The signature is read when it is made; it is compiled for a device at the
/// first launch there, or by [`compile`](Self::compile).
#[derive(Debug)]
pub struct Kernel {
    source: Source,
    signature: Signature,
    options: Vec<String>,
    /// The target that the options name.
    arch: Option<Arch>,
    /// By position: true if a non-contiguous array is welcome.
    strided: Vec<bool>,
    toolchain: Toolchain,
    compiled: Mutex<Images>,
    loaded: Mutex<Vec<Loaded>>,
}

/// By target and the driver's major version.
type Images = BTreeMap<(Arch, Option<u32>), Arc<Compiled>>;

#[derive(Clone, Debug)]
struct Loaded {
    device: Device,
    function: Arc<dyn Function>,
}

/// A call that has been checked, apart from grid and block.
struct Call<'a> {
    compiled: Arc<Compiled>,
    parameters: Vec<u8>,
    reads: Vec<&'a Buffer>,
    writes: Vec<&'a Buffer>,
    largest: Option<usize>,
}

impl Kernel {
    /// Reads the signature of `function` in `source`. Compiles nothing yet.
    ///
    /// `options` go to NVRTC; `--gpu-architecture` among them chooses the target
    /// for all devices. `strided` names the parameters that take non-contiguous
    /// arrays.
    ///
    /// # Errors
    /// As [`Signature::read`]; [`Error::Value`] for names in `strided` that are no
    /// parameters, and for a target that is none.
    pub fn new(
        toolchain: &Toolchain,
        source: Source,
        function: &str,
        options: &[String],
        strided: &[String],
    ) -> Result<Self> {
        let signature = Signature::read(source.text(), function)?;
        let parameters = &signature.parameters;
        if let Some(unknown) = strided
            .iter()
            .find(|&name| parameters.iter().all(|parameter| parameter.name != *name))
        {
            let names: Vec<String> = parameters
                .iter()
                .map(|it| format!("`{}`", it.name))
                .collect();
            return Err(Error::Value(format!(
                "strided names `{unknown}`, which is no parameter of `{}`; they are {}",
                signature.name,
                names.join(", ")
            )));
        }
        let is_number = |parameter: &&Parameter| {
            matches!(parameter.ctype, CType::Scalar(_)) && strided.contains(&parameter.name)
        };
        if let Some(number) = parameters.iter().find(is_number) {
            return Err(Error::Value(format!(
                "strided names `{}`, which is a number of `{}`; only arrays have strides",
                number.name, signature.name
            )));
        }
        let (options, arch) = split_arch(options)?;
        Ok(Self {
            strided: parameters
                .iter()
                .map(|it| strided.contains(&it.name))
                .collect(),
            source,
            signature,
            options,
            arch,
            toolchain: toolchain.clone(),
            compiled: Mutex::default(),
            loaded: Mutex::default(),
        })
    }

    /// Name and parameters.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// The source.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The compiler's options, without the target.
    pub fn options(&self) -> &[String] {
        &self.options
    }

    /// Compiles for `arch`, or for the target in the options, or for
    /// [`Arch::DEFAULT`]. Needs no device. `driver` is the major version of the
    /// driver that the result is for, if there is one.
    ///
    /// # Errors
    /// [`Error::Compile`], [`Error::CompilerNotFound`], [`Error::Value`] if the image
    /// does not have the parameters that the source declares.
    pub fn compile(&self, arch: Option<Arch>, driver: Option<u32>) -> Result<Arc<Compiled>> {
        let arch = arch.or(self.arch).unwrap_or(Arch::DEFAULT);
        if let Some(compiled) = lock(&self.compiled).get(&(arch, driver)) {
            return Ok(Arc::clone(compiled));
        }
        let expression = &self.signature.expression;
        let image =
            self.toolchain
                .compile(&self.source, expression, &self.options, arch, driver)?;
        let compiled = Arc::new(Compiled::new(image, &self.signature)?);
        let mut known = lock(&self.compiled);
        Ok(Arc::clone(known.entry((arch, driver)).or_insert(compiled)))
    }

    /// Compiles for a device: its own target, or what the options name.
    ///
    /// # Errors
    /// As [`compile`](Self::compile).
    pub fn compile_for(&self, device: &Device) -> Result<Arc<Compiled>> {
        let info = device.info();
        let driver = info.driver_version.map(|(major, _)| major);
        let arch = match (self.arch, info.compute_capability) {
            (Some(arch), _) => Some(arch),
            (None, Some(capability)) => Some(self.toolchain.arch_for(capability, driver)?),
            (None, None) => None,
        };
        self.compile(arch, driver)
    }

    /// True if it has been compiled for some target.
    pub fn is_compiled(&self) -> bool {
        !lock(&self.compiled).is_empty()
    }

    /// Does all of a launch that comes before it: checks the arguments against the
    /// source, compiles for the device, and checks them against the image.
    ///
    /// # Errors
    /// As [`launch`](Self::launch).
    pub fn prepare(&self, device: &Device, arguments: &[Argument]) -> Result<()> {
        self.check(device, arguments).map(drop)
    }

    /// For each parameter, the place of its argument in a call with `positional`
    /// arguments by position followed by those of the given names.
    ///
    /// # Errors
    /// [`ArgumentError::Type`] in Python's words: too many, missing, unknown or
    /// repeated arguments.
    pub fn bind(&self, positional: usize, names: &[&str]) -> Result<Vec<usize>> {
        let (kernel, parameters) = (&self.signature.name, &self.signature.parameters);
        let refuse = |text: String| Err(ArgumentError::Type(format!("{kernel}() {text}")).into());
        let mut places: Vec<Option<usize>> = vec![None; parameters.len()];
        for (place, slot) in places.iter_mut().take(positional).enumerate() {
            *slot = Some(place);
        }
        for (i, name) in names.iter().enumerate() {
            let Some(slot) = parameters.iter().position(|it| it.name == **name) else {
                return refuse(format!("got an unexpected keyword argument '{name}'"));
            };
            if places[slot].replace(positional + i).is_some() {
                return refuse(format!("got multiple values for argument '{name}'"));
            }
        }
        if positional > parameters.len() {
            let (count, s) = (parameters.len(), plural(parameters.len()));
            let were = if positional == 1 { "was" } else { "were" };
            return refuse(format!(
                "takes {count} positional argument{s} but {positional} {were} given"
            ));
        }
        let missing: Vec<String> = parameters
            .iter()
            .zip(&places)
            .filter(|(_, place)| place.is_none())
            .map(|(parameter, _)| format!("'{}'", parameter.name))
            .collect();
        if missing.is_empty() {
            return Ok(places.into_iter().flatten().collect());
        }
        let (count, s) = (missing.len(), plural(missing.len()));
        refuse(format!(
            "missing {count} required argument{s}: {}",
            listed(&missing)
        ))
    }

    /// The grid and block of a launch with these arguments, in the order of the
    /// parameters. A device that loads no kernels answers as far as it can.
    ///
    /// # Errors
    /// As [`launch`](Self::launch).
    pub fn launch_config(
        &self,
        device: &Device,
        options: LaunchOptions,
        arguments: &[Argument],
    ) -> Result<LaunchConfig> {
        let call = self.check(device, arguments)?;
        match self.load(device, &call.compiled) {
            Ok(function) => self.decide(device, options, &call, Some(&*function)),
            Err(Error::Unsupported(_)) => self.decide(device, options, &call, None),
            Err(error) => Err(error),
        }
    }

    /// Launches the kernel on `stream` with arguments in the order of the
    /// parameters, after all earlier work on the arrays given. Returns at once.
    ///
    /// Arrays given for pointers to const are read, all others written. A kernel
    /// without elements to work on (a grid that follows from an array of size 0)
    /// is checked and not launched.
    ///
    /// # Errors
    /// [`Error::Argument`] for arguments that do not fit, [`Error::Value`] for a grid
    /// or block beyond a limit, all before anything is launched; those of
    /// [`compile`](Self::compile); [`Error::Unsupported`] on a device that cannot
    /// run kernels, after all else has been checked.
    ///
    /// # Safety
    /// The kernel touches only memory that its arguments lead to, as far as those
    /// arrays reach, and writes through no pointer that it declares const.
    pub unsafe fn launch(
        &self,
        stream: &Stream,
        options: LaunchOptions,
        arguments: &[Argument],
    ) -> Result<()> {
        let device = stream.device();
        let call = self.check(device, arguments)?;
        let function = match self.load(device, &call.compiled) {
            Ok(function) => function,
            Err(Error::Unsupported(reason)) => {
                match self.decide(device, options, &call, None) {
                    // That it cannot be asked is no fault of the call.
                    Ok(_) | Err(Error::Unsupported(_)) => {}
                    Err(error) => return Err(error),
                }
                return Err(Error::Unsupported(format!(
                    "launching kernel `{}` needs a GPU (it compiles, and its arguments fit): {reason}",
                    self.signature.name
                )));
            }
            Err(error) => return Err(error),
        };
        let config = self.decide(device, options, &call, Some(&*function))?;
        if config.grid.contains(&0) {
            return Ok(());
        }
        let work = Work::Launch(Launch {
            function,
            grid: config.grid,
            block: config.block,
            shared: config.shared,
            parameters: call.parameters,
        });
        // SAFETY: every array is named; what the kernel does with them is the
        // caller's promise.
        unsafe { stream.submit(work, &call.reads, &call.writes) }.map(drop)
    }

    fn decide(
        &self,
        device: &Device,
        options: LaunchOptions,
        call: &Call<'_>,
        function: Option<&dyn Function>,
    ) -> Result<LaunchConfig> {
        let decision = Decision {
            name: &self.signature.name,
            entry: call.compiled.entry(),
            info: device.info(),
            largest: call.largest,
            options,
        };
        decision.config(function)
    }

    /// Checks arguments against the source, compiles, checks them against the image
    /// and lays them out.
    fn check<'a>(&self, device: &Device, arguments: &'a [Argument]) -> Result<Call<'a>> {
        self.bind(arguments.len(), &[])?;
        let passed: Vec<Passed<'_>> = (self.signature.parameters.iter().zip(arguments))
            .zip(&self.strided)
            .map(|((parameter, argument), &is_strided)| Passed {
                kernel: &self.signature.name,
                parameter,
                argument,
                is_strided,
            })
            .collect();
        let values = passed
            .iter()
            .map(|passed| {
                passed.check_device(device)?;
                passed.value()
            })
            .collect::<Result<Vec<Option<Value>>>>()?;
        let compiled = self.compile_for(device)?;
        let mut parameters = vec![0; compiled.parameter_bytes()];
        for ((placed, passed), value) in compiled.entry().parameters.iter().zip(&passed).zip(values)
        {
            // A macro or an alias can make a type another one than it reads.
            let value = match value.filter(|value| value.len() == placed.size) {
                Some(value) => value,
                None => passed.sized_value(placed.size, placed.kind)?,
            };
            parameters[placed.offset..][..placed.size].copy_from_slice(&value);
        }
        let (mut reads, mut writes, mut largest) = (Vec::new(), Vec::new(), None);
        for (passed, argument) in passed.iter().zip(arguments) {
            let Some(array) = argument.array() else {
                continue;
            };
            largest = largest.max(Some(array.size));
            match passed.access() {
                Access::Read => reads.push(&*array.buffer),
                Access::Write => writes.push(&*array.buffer),
            }
        }
        Ok(Call {
            compiled,
            parameters,
            reads,
            writes,
            largest,
        })
    }

    fn load(&self, device: &Device, compiled: &Compiled) -> Result<Arc<dyn Function>> {
        device.check_process()?;
        let known = lock(&self.loaded);
        if let Some(loaded) = known.iter().find(|loaded| loaded.device == *device) {
            return Ok(Arc::clone(&loaded.function));
        }
        drop(known);
        let entry = &compiled.image().entry;
        let function = device.backend().load(compiled.loadable(), entry)?;
        let mut known = lock(&self.loaded);
        // Another thread may have loaded it meanwhile; either is good.
        known.push(Loaded {
            device: device.clone(),
            function: Arc::clone(&function),
        });
        Ok(function)
    }
}

/// Takes the target out of the options: `-arch=sm_90`, `--gpu-architecture=sm_90`,
/// or the name and the target as two options.
fn split_arch(options: &[String]) -> Result<(Vec<String>, Option<Arch>)> {
    const NAMES: [&str; 4] = ["-arch", "--arch", "-gpu-architecture", "--gpu-architecture"];
    let (mut rest, mut arch) = (Vec::new(), None);
    let mut options = options.iter();
    while let Some(option) = options.next() {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        if !NAMES.contains(&name) {
            rest.push(option.clone());
        } else if value.is_empty() {
            arch = Some(options.next().map_or("", String::as_str).parse()?);
        } else {
            arch = Some(value.parse()?);
        }
    }
    Ok((rest, arch))
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// `'a'`, `'a' and 'b'`, `'a', 'b', and 'c'`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [name] => name.clone(),
        [first, second] => format!("{first} and {second}"),
        [first @ .., last] => format!("{}, and {last}", first.join(", ")),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
