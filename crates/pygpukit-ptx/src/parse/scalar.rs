//! The fundamental types.

/// A fundamental type of PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[rustfmt::skip]
pub(crate) enum Scalar {
    B8, B16, B32, B64, B128,
    U8, U16, U32, U64,
    S8, S16, S32, S64,
    F16, F16x2, Bf16, Bf16x2, Tf32, F32, F32x2, F64,
    Pred,
}

impl Scalar {
    /// The type of that word, without its dot.
    #[rustfmt::skip]
    pub(crate) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "b8" => Self::B8, "b16" => Self::B16, "b32" => Self::B32, "b64" => Self::B64,
            "b128" => Self::B128,
            "u8" => Self::U8, "u16" => Self::U16, "u32" => Self::U32, "u64" => Self::U64,
            "s8" => Self::S8, "s16" => Self::S16, "s32" => Self::S32, "s64" => Self::S64,
            "f16" => Self::F16, "f16x2" => Self::F16x2, "bf16" => Self::Bf16,
            "bf16x2" => Self::Bf16x2, "tf32" => Self::Tf32,
            "f32" => Self::F32, "f32x2" => Self::F32x2, "f64" => Self::F64,
            "pred" => Self::Pred,
            _ => return None,
        })
    }

    /// Bytes in memory; a predicate has none.
    #[rustfmt::skip]
    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::Pred => 0,
            Self::B8 | Self::U8 | Self::S8 => 1,
            Self::B16 | Self::U16 | Self::S16 | Self::F16 | Self::Bf16 => 2,
            Self::B32 | Self::U32 | Self::S32 | Self::F32 | Self::F16x2 | Self::Bf16x2
            | Self::Tf32 => 4,
            Self::B64 | Self::U64 | Self::S64 | Self::F64 | Self::F32x2 => 8,
            Self::B128 => 16,
        }
    }

    /// True for types that are extended by their sign.
    pub(crate) const fn is_signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64)
    }
}
