//! Devices to test, and arrays as lists of numbers.

use pygpukit_core::array::{DType, Element, Kind, Layout, Scalar};
use pygpukit_device::backend::Priority;
use pygpukit_device::{Array, Device, Stream, devices};

/// Runs a test on every device.
pub(crate) fn on_every_device(test: impl Fn(&Stream)) {
    let chosen = std::env::var("PYGPUKIT_TEST_DEVICES").ok();
    let mut tested = 0;
    for id in devices() {
        if let Some(chosen) = &chosen
            && !chosen.split(',').any(|name| name.trim() == id.to_string())
        {
            continue;
        }
        tested += 1;
        let device = Device::by_id(id).unwrap();
        // A stream of its own: tests run side by side.
        test(&Stream::new(&device, Priority::Normal).unwrap());
    }
    assert!(tested > 0, "PYGPUKIT_TEST_DEVICES names no device there is");
}

/// The bytes of numbers that the dtype holds exactly.
pub(crate) fn encode(values: &[Scalar], dtype: DType) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in values {
        bytes.extend_from_slice(value.to_element(dtype).unwrap().as_bytes());
    }
    bytes
}

/// A C-contiguous array of these numbers.
pub(crate) fn array(stream: &Stream, values: &[Scalar], shape: &[usize], dtype: DType) -> Array {
    Array::from_bytes(stream, &encode(values, dtype), shape, dtype).unwrap()
}

/// The elements of an array in C order.
pub(crate) fn values(stream: &Stream, array: &Array) -> Vec<Scalar> {
    let mut bytes = vec![0; array.nbytes()];
    array.read_bytes(stream, &mut bytes).unwrap();
    let dtype = array.dtype();
    bytes
        .chunks(dtype.itemsize())
        .map(|bytes| Element::from_bytes(dtype, bytes).to_scalar())
        .collect()
}

/// The positions, counted in elements from the start of the buffer, that a view
/// shows in C order.
pub(crate) fn positions(layout: &Layout) -> Vec<usize> {
    let mut positions = vec![layout.offset() as isize];
    for (&length, &stride) in layout.shape().iter().zip(layout.strides()) {
        positions = positions
            .iter()
            .flat_map(|start| (0..length as isize).map(move |i| start + i * stride))
            .collect();
    }
    let itemsize = layout.itemsize();
    positions
        .iter()
        .map(|&position| position as usize / itemsize)
        .collect()
}

/// True if both are the same number, or both not a number.
pub(crate) fn same(a: Scalar, b: Scalar) -> bool {
    close(a, b, 0.0)
}

/// True if two numbers differ by at most `tolerance` of the larger.
pub(crate) fn close(a: Scalar, b: Scalar, tolerance: f64) -> bool {
    let near = |a: f64, b: f64, scale: f64| {
        (a.is_nan() && b.is_nan()) || a == b || (a - b).abs() <= tolerance * scale
    };
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => near(a, b, a.abs().max(b.abs())),
        (Scalar::Complex(a, ai), Scalar::Complex(b, bi)) => {
            let scale = a.hypot(ai).max(b.hypot(bi));
            near(a, b, scale) && near(ai, bi, scale)
        }
        (a, b) => a == b,
    }
}

/// Fails with the first element that is wrong.
pub(crate) fn check(found: &[Scalar], expected: &[Scalar], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: number of elements");
    for (i, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            close(found, expected, tolerance),
            "{what}: element {i} is {found:?}, not {expected:?}"
        );
    }
}

/// Numbers that look random, the same in every run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((self.next() >> 33) % end as u64) as usize
    }

    /// A whole number or quarter that every dtype but bool holds exactly, also
    /// after a few additions; not negative if unsigned.
    pub(crate) fn small(&mut self, dtype: DType) -> Scalar {
        let quarters = self.below(121) as i32 - 60;
        let real = f64::from(quarters) / 4.0;
        match dtype.kind() {
            Kind::Bool => Scalar::Bool(quarters & 1 == 0),
            Kind::Unsigned => Scalar::Int((quarters.abs() / 4).into()),
            Kind::Signed => Scalar::Int((quarters / 4).into()),
            Kind::Float => Scalar::Float(real),
            Kind::Complex => Scalar::Complex(real, f64::from(self.below(41) as i32 - 20) / 4.0),
        }
    }

    /// Any integer of the dtype, often an extreme one.
    pub(crate) fn integer(&mut self, dtype: DType) -> Scalar {
        let bits = 8 * dtype.itemsize();
        let any = i128::from(self.next());
        let value = match self.below(8) {
            0 => 0,
            1 => 1,
            2 => -1,
            3 => 1 << (bits - 1),
            4 => (1 << (bits - 1)) - 1,
            5 => any % 7,
            _ => any,
        };
        Scalar::Int(super::model::wrap(value, dtype))
    }

    /// Numbers for operands: small ones, extreme integers.
    pub(crate) fn any(&mut self, dtype: DType) -> Scalar {
        match dtype.kind() {
            Kind::Signed | Kind::Unsigned => self.integer(dtype),
            Kind::Bool | Kind::Float | Kind::Complex => self.small(dtype),
        }
    }

    pub(crate) fn many(&mut self, count: usize, dtype: DType) -> Vec<Scalar> {
        (0..count).map(|_| self.any(dtype)).collect()
    }
}
