//! The memory that kernels see. All `unsafe` reading and writing of the crate is here.

mod atomic;
mod plain;
mod storage;
mod table;
mod window;

pub(crate) use atomic::Atomic;
pub use plain::Plain;
pub(crate) use storage::Storage;
pub use table::Memory;
pub(crate) use window::Window;
