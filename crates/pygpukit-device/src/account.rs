//! Who pays for memory.

use crate::backend::Queue;
use crate::error::{OutOfMemory, Result};
use std::fmt;
use std::sync::Arc;

/// A tenant or task that memory is charged to, and on whose behalf work runs.
///
/// Bytes are counted as asked for. A charge that succeeds is released exactly
/// once, when the buffer is dropped.
pub trait Account: Send + Sync + fmt::Debug {
    /// Takes `bytes`, or says why not and leaves everything as it was.
    fn charge(&self, bytes: u64) -> Result<(), Box<OutOfMemory>>;

    /// Gives back what was charged.
    fn release(&self, bytes: u64);

    /// Whether more work may be queued on behalf of this account.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) for a task that was cancelled.
    fn permit(&self) -> Result<()> {
        Ok(())
    }

    /// Says that a stream of this account works on `queue`.
    fn adopt(&self, queue: &Arc<dyn Queue>) {
        let _ = queue;
    }
}
