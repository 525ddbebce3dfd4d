//! CUDA devices, through the NVIDIA driver.

use crate::backend::Backend;
use crate::device::Presence;
use crate::error::{Error, Result};

pub(crate) fn presence() -> Presence {
    Presence::Absent {
        reason: "under construction".into(),
    }
}

pub(crate) fn open(_ordinal: u32) -> Result<Box<dyn Backend>> {
    Err(Error::Unsupported("under construction".into()))
}
