//! The CPU as a device.

use crate::backend::Backend;
use crate::error::{Error, Result};

pub(crate) fn open() -> Result<Box<dyn Backend>> {
    Err(Error::Unsupported("under construction".into()))
}
