//! Work as launches: array operations by the built-in kernels, which are
//! compiled at first use.

use super::compiler::Compiler;
use super::context::Context;
use super::function::{CudaFunction, Module};
use super::views;
use crate::backend::{DeviceInfo, Function, Launch, Work};
use crate::error::Result;
use pygpukit_kernels::{Limits, Unit};
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The built-in kernels of one device.
#[derive(Debug)]
pub(super) struct Builtin {
    context: Arc<Context>,
    compiler: Box<dyn Compiler>,
    info: DeviceInfo,
    /// Held to find a slot; compiling holds the slot alone.
    slots: Mutex<BTreeMap<Unit, Arc<Mutex<Slot>>>>,
}

/// One unit: the image once it is loaded, and the kernels found in it.
///
/// A failure is not kept: who installs a compiler may try again.
#[derive(Debug, Default)]
struct Slot {
    module: Option<Arc<Module>>,
    kernels: SmallVec<[(&'static str, Arc<CudaFunction>); 2]>,
}

impl Builtin {
    pub(super) fn new(
        context: &Arc<Context>,
        compiler: Box<dyn Compiler>,
        info: DeviceInfo,
    ) -> Self {
        Self {
            context: Arc::clone(context),
            compiler,
            info,
            slots: Mutex::default(),
        }
    }

    pub(super) fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// The launches that do the work, in order; none for work without elements.
    /// Compiles what has not been used before.
    pub(super) fn launches(&self, work: Work) -> Result<SmallVec<[Launch; 1]>> {
        let limits = Limits {
            multiprocessors: self.info.multiprocessor_count,
        };
        if let Work::Launch(launch) = work {
            return Ok(smallvec![launch]);
        }
        let Some(plan) = views::plan(&work, limits)? else {
            return Ok(SmallVec::new());
        };
        Ok(smallvec![Launch {
            function: self.kernel(plan.unit, plan.entry)?,
            grid: plan.grid,
            block: plan.block,
            shared: 0,
            parameters: plan.parameters,
        }])
    }

    fn kernel(&self, unit: Unit, entry: &'static str) -> Result<Arc<dyn Function>> {
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.entry(unit).or_default())
        };
        // Held while compiling: threads that need the same unit wait for it.
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, kernel)) = slot.kernels.iter().find(|(name, _)| *name == entry) {
            return Ok(Arc::clone(kernel) as Arc<dyn Function>);
        }
        let module = match &slot.module {
            Some(module) => Arc::clone(module),
            None => Module::load(&self.context, &self.compiler.compile(unit, entry)?)?,
        };
        let kernel = CudaFunction::find(&module, entry, &unit.to_string())?;
        slot.module = Some(module);
        slot.kernels.push((entry, Arc::clone(&kernel)));
        Ok(kernel)
    }
}
