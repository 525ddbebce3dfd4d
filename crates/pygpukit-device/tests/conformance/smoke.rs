use crate::harness::on_every_device;
use pygpukit_core::array::*;
use pygpukit_device::ops::{self, Arg};

#[test]
fn smoke() {
    on_every_device(|s| {
        let a = ops::arange(
            s,
            Scalar::Int(0),
            Scalar::Int(200_000),
            Scalar::Int(1),
            DType::Float32,
        )
        .unwrap();
        let b = ops::binary(
            s,
            BinaryOp::Add,
            Arg::Array(&a),
            Arg::Array(&a.index(&[Index::Slice(None, None, Some(-1))]).unwrap()),
            None,
        )
        .unwrap();
        let mut out = vec![0_u8; b.nbytes()];
        b.read_bytes(s, &mut out).unwrap();
        for c in out.chunks(4) {
            assert_eq!(f32::from_ne_bytes(c.try_into().unwrap()), 199_999.0);
        }
        let m = ops::ones(s, &[300, 300], DType::Float32).unwrap();
        let p = ops::matmul(s, &m, &m, None, false).unwrap();
        let mut out = vec![0_u8; p.nbytes()];
        p.read_bytes(s, &mut out).unwrap();
        for c in out.chunks(4) {
            assert_eq!(f32::from_ne_bytes(c.try_into().unwrap()), 300.0);
        }
    });
}
