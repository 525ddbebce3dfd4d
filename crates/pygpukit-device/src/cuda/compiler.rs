//! The compiler of the built-in kernels.

use super::builtin::Compiler;
use crate::backend::DeviceInfo;
use crate::error::{Error, Result};
use pygpukit_kernels::Unit;

#[derive(Debug)]
struct Missing;

impl Compiler for Missing {
    fn compile(&self, unit: Unit) -> Result<Vec<u8>> {
        Err(Error::Unsupported(format!("no compiler for `{unit}`")))
    }
}

pub(super) fn for_device(_info: &DeviceInfo) -> Box<dyn Compiler> {
    Box::new(Missing)
}
