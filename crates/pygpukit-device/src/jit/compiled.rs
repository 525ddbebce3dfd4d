//! A kernel in compiled form: where its parameters lie, and what it does.

use super::signature::Signature;
use crate::error::{Error, Result};
use crate::nvrtc::Image;
use pygpukit_ptx::{Cubin, Entry, Module, Parameter};
use std::sync::Arc;

/// A kernel compiled for one target.
#[derive(Debug)]
pub struct Compiled {
    image: Arc<Image>,
    entry: Entry,
    bytes: usize,
}

impl Compiled {
    /// Reads what the launch needs from an image.
    ///
    /// # Errors
    /// [`Error::Value`] if the image and the signature differ in the number of
    /// parameters, or the kernel has no body; [`Error::Unsupported`] if the image cannot be read.
    pub(super) fn new(image: Arc<Image>, signature: &Signature) -> Result<Self> {
        let unreadable = |reason: String| {
            let (major, minor) = image.compiler;
            Error::Unsupported(format!(
                "what NVRTC {major}.{minor} made of `{}` cannot be read: {reason}",
                signature.name
            ))
        };
        let module = Module::parse(&image.ptx).map_err(|error| unreadable(error.to_string()))?;
        let entry = module.entry(&image.entry);
        let Some(mut entry) = entry.cloned() else {
            return Err(Error::Value(format!(
                "kernel `{}` is declared but has no body: the compiler made no code of it",
                signature.name
            )));
        };
        let (declared, compiled) = (signature.parameters.len(), entry.parameters.len());
        if declared != compiled {
            return Err(Error::Value(format!(
                "kernel `{}` has {compiled} parameters when compiled and {declared} as its source \
                 reads; write them out where a macro or a condition makes them",
                signature.name
            )));
        }
        let mut bytes = entry.parameter_bytes;
        if let Some(cubin) = &image.cubin {
            let cubin = Cubin::parse(cubin).map_err(|error| unreadable(error.to_string()))?;
            let kernel = cubin.kernel(&image.entry);
            let kernel = kernel.ok_or_else(|| unreadable("no such kernel".into()))?;
            let sizes = entry.parameters.iter().map(|it| it.size);
            if !sizes.eq(kernel.parameters.iter().map(|it| it.size)) {
                return Err(unreadable("PTX and CUBIN disagree on parameters".into()));
            }
            // The assembler has the last word on places.
            for (parameter, placed) in entry.parameters.iter_mut().zip(&kernel.parameters) {
                parameter.offset = placed.offset;
            }
            bytes = entry
                .parameters
                .iter()
                .map(|it| it.offset + it.size)
                .max()
                .unwrap_or(0);
        } else if let Some(over) = entry
            .parameters
            .iter()
            .find(|it| it.align > Parameter::LARGEST_ALIGN)
        {
            return Err(Error::Unsupported(format!(
                "kernel `{}` has a parameter aligned to {} bytes, whose place only machine code \
                 tells; compile for \"sm_{}\"",
                signature.name,
                over.align,
                image.arch.number()
            )));
        }
        Ok(Self {
            image,
            entry,
            bytes,
        })
    }

    /// What the compiler made.
    pub fn image(&self) -> &Arc<Image> {
        &self.image
    }

    /// The kernel as PTX declares it, its parameters placed as in the machine code.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Bytes of the parameter buffer.
    pub fn parameter_bytes(&self) -> usize {
        self.bytes
    }

    /// What a device loads: the CUBIN, else PTX.
    pub(super) fn loadable(&self) -> &[u8] {
        let cubin = self.image.cubin.as_deref();
        cubin.unwrap_or(self.image.ptx.as_bytes())
    }
}
