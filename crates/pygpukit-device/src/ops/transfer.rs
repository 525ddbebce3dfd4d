//! Copies from one device to another.

use crate::array::Array;
use crate::error::Result;
use crate::stream::Stream;

/// A copy of `array` on the device of `target`, by way of the host. `source` is a
/// stream of the array's device. Returns when the copy is done.
pub fn transfer(target: &Stream, source: &Stream, array: &Array) -> Result<Array> {
    let mut bytes = vec![0; array.nbytes()];
    array.read_bytes(source, &mut bytes)?;
    Array::from_bytes(target, &bytes, array.shape(), array.dtype())
}
