//! What an array is, apart from its bytes: dtype, shape, strides, promotion.
//!
//! The rules are NumPy's (promotion is that of NEP 50), extended by bfloat16.

mod dtype;
mod index;
mod layout;
mod op;
mod promote;
mod round;
mod scalar;

#[cfg(test)]
mod model_tests;

pub use dtype::{DType, Kind};
pub use index::{Index, IndexError};
pub use layout::{
    Dims, Layout, MAX_DIMENSIONS, ShapeError, Strides, broadcast_shapes, check_dimensions,
};
pub use op::{BinaryOp, OpError, Signature, UnaryOp};
pub use promote::{Weak, can_cast_same_kind, can_store, promote, promote_weak};
pub use round::{bf16_from_f32, bf16_from_f64, f16_from_f64};
pub use scalar::{Element, Scalar, ScalarError};
