//! What an array is, apart from its bytes: dtype, shape, strides, promotion.
//!
//! The rules are NumPy's (promotion is that of NEP 50), extended by bfloat16.

mod dtype;
mod index;
mod layout;
mod op;
mod promote;
mod scalar;

pub use dtype::{DType, Kind};
pub use index::{Index, IndexError};
pub use layout::{Dims, Layout, ShapeError, Strides, broadcast_shapes};
pub use op::{BinaryOp, OpError, Signature, UnaryOp};
pub use promote::{Weak, can_cast_same_kind, promote, promote_weak};
pub use scalar::{Element, Scalar, ScalarError};
