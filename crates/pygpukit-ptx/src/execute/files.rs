//! The register files of a warp.

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;
/// Lanes that are computed together: what one vector of the host holds.
pub(crate) const WIDTH: usize = 8;

/// A register of up to 32 bits. Those of 16 bits keep the upper half zero.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Word(pub(crate) [u32; LANES]);

/// A register of 64 bits.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Wide(pub(crate) [u64; LANES]);

/// The registers of a warp, by width. A predicate is one bit a lane.
#[derive(Debug)]
pub(crate) struct Files<'w> {
    pub(crate) words: &'w mut [Word],
    pub(crate) wides: &'w mut [Wide],
    pub(crate) predicates: &'w mut [u32],
}

impl Files<'_> {
    /// The same files, for a shorter time. Held in a variable, the compiler knows that no
    /// write to a register moves them.
    #[inline(always)]
    pub(crate) fn again(&mut self) -> Files<'_> {
        Files {
            words: self.words,
            wides: self.wides,
            predicates: self.predicates,
        }
    }
}

// Loops with indices instead of `array::from_fn` and closures here and in the handlers: what
// is not inlined would be compiled without the processor's features.

/// What a register can be read as: the instruction decides, not the register.
pub(crate) trait Value: Copy + Default {
    /// Reads the lanes of a chunk of [`WIDTH`].
    fn read(files: &Files<'_>, slot: u16, chunk: usize) -> [Self; WIDTH];
    /// Writes the lanes of a chunk.
    fn write(files: &mut Files<'_>, slot: u16, chunk: usize, values: [Self; WIDTH]);
    /// Writes those lanes of a chunk whose bit in `mask` is set.
    fn blend(files: &mut Files<'_>, slot: u16, chunk: usize, values: [Self; WIDTH], mask: u32);
    /// Reads one lane.
    fn lane(files: &Files<'_>, slot: u16, lane: usize) -> Self;
}

macro_rules! values {
    ($file:ident: $stored:ty; $($type:ty, $bits:ident => $load:expr, $value:ident => $store:expr;)*) => { $(
        impl Value for $type {
            #[inline(always)]
            fn read(files: &Files<'_>, slot: u16, chunk: usize) -> [Self; WIDTH] {
                let lanes = &files.$file[usize::from(slot)].0;
                let mut values = [<$type>::default(); WIDTH];
                for i in 0..WIDTH {
                    let $bits = lanes[chunk * WIDTH + i];
                    values[i] = $load;
                }
                values
            }

            #[inline(always)]
            fn write(files: &mut Files<'_>, slot: u16, chunk: usize, values: [Self; WIDTH]) {
                let lanes = &mut files.$file[usize::from(slot)].0;
                let mut stored = [0; WIDTH];
                for i in 0..WIDTH {
                    let $value = values[i];
                    stored[i] = $store;
                }
                lanes[chunk * WIDTH..chunk * WIDTH + WIDTH].copy_from_slice(&stored);
            }

            // Not a conditional store: those cannot be forwarded to the next load.
            #[inline(always)]
            fn blend(
                files: &mut Files<'_>,
                slot: u16,
                chunk: usize,
                values: [Self; WIDTH],
                mask: u32,
            ) {
                let lanes = &mut files.$file[usize::from(slot)].0;
                let mut stored = [0; WIDTH];
                for i in 0..WIDTH {
                    let $value = values[i];
                    let new: $stored = $store;
                    let chosen = <$stored>::from((mask >> i) & 1).wrapping_neg();
                    stored[i] = (new & chosen) | (lanes[chunk * WIDTH + i] & !chosen);
                }
                lanes[chunk * WIDTH..chunk * WIDTH + WIDTH].copy_from_slice(&stored);
            }

            #[inline(always)]
            fn lane(files: &Files<'_>, slot: u16, lane: usize) -> Self {
                let $bits = files.$file[usize::from(slot)].0[lane];
                $load
            }
        }
    )* };
}

values! { words: u32;
    u32, bits => bits, value => value;
    i32, bits => bits.cast_signed(), value => value.cast_unsigned();
    f32, bits => f32::from_bits(bits), value => value.to_bits();
    u16, bits => bits as u16, value => u32::from(value);
    i16, bits => bits as i16, value => u32::from(value.cast_unsigned());
}

values! { wides: u64;
    u64, bits => bits, value => value;
    i64, bits => bits.cast_signed(), value => value.cast_unsigned();
    f64, bits => f64::from_bits(bits), value => value.to_bits();
}
