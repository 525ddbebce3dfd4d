//! The compiler of the built-in kernels: NVRTC.

use crate::backend::DeviceInfo;
use crate::error::Result;
use crate::nvrtc::{Source, Toolchain};
use pygpukit_kernels::Unit;
use std::fmt;

/// Makes a loadable image (a CUBIN, or PTX) of a unit.
pub(super) trait Compiler: Send + Sync + fmt::Debug {
    /// Compiles for the device that this compiler was made for.
    fn compile(&self, unit: Unit, entry: &str) -> Result<Vec<u8>>;
}

/// NVRTC, for one device.
#[derive(Debug)]
struct Nvrtc {
    toolchain: Toolchain,
    capability: (u32, u32),
    /// The driver's major version: it loads nothing that a newer compiler made.
    driver: Option<u32>,
}

/// The compiler of this process, for a device.
pub(super) fn for_device(info: &DeviceInfo) -> Box<dyn Compiler> {
    Box::new(Nvrtc {
        toolchain: Toolchain::shared().clone(),
        capability: info.compute_capability.unwrap_or_default(),
        driver: info.driver_version.map(|(major, _)| major),
    })
}

impl Compiler for Nvrtc {
    fn compile(&self, unit: Unit, entry: &str) -> Result<Vec<u8>> {
        let source = Source::from_text(unit.source(), format!("{unit}.cu"));
        let arch = self.toolchain.arch_for(self.capability, self.driver)?;
        let image = self
            .toolchain
            .compile(&source, entry, &unit.options(), arch, self.driver)?;
        let ptx = || image.ptx.clone().into_bytes();
        Ok(image.cubin.clone().unwrap_or_else(ptx))
    }
}
