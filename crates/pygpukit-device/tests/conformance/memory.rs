//! Allocating, copying to and from the host, using freed memory again.

use crate::harness::{array, on_every_device, values};
use pygpukit_core::array::BinaryOp;
use pygpukit_core::array::{DType, Scalar};
use pygpukit_device::backend::Priority;
use pygpukit_device::ops::{self, Arg};
use pygpukit_device::{Array, Error, Stream};

#[test]
fn bytes_go_there_and_back() {
    on_every_device(|stream| {
        for count in [0_usize, 1, 255, 256, 257, 4097, 3_000_001] {
            let bytes: Vec<u8> = (0..count).map(|i| (i * 31 % 251) as u8).collect();
            let a = Array::from_bytes(stream, &bytes, &[count], DType::UInt8).unwrap();
            let mut back = vec![0xff; count];
            a.read_bytes(stream, &mut back).unwrap();
            assert!(back == bytes, "{count} bytes");
        }
        let a = Array::empty(stream, &[3], DType::UInt8).unwrap();
        assert!(matches!(
            a.read_bytes(stream, &mut [0; 4]),
            Err(Error::Value(_))
        ));
        assert!(matches!(
            Array::from_bytes(stream, &[0; 4], &[3], DType::UInt8),
            Err(Error::Value(_))
        ));
    });
}

#[test]
fn addresses_are_aligned() {
    on_every_device(|stream| {
        for count in [1_usize, 513, 100_000, 5 << 20] {
            let a = Array::empty(stream, &[count], DType::UInt8).unwrap();
            assert_eq!(a.address() % 256, 0);
        }
        assert_eq!(
            Array::empty(stream, &[0], DType::UInt8).unwrap().address(),
            0
        );
    });
}

#[test]
fn more_than_there_is() {
    on_every_device(|stream| {
        let limit = stream.device().info().total_memory;
        let error = Array::empty(stream, &[limit as usize + 1], DType::UInt8).unwrap_err();
        let Error::OutOfMemory(error) = error else {
            panic!("{error}");
        };
        assert_eq!((error.asked, error.limit), (limit + 1, limit));
        // And what is less still works.
        let a = ops::ones(stream, &[10], DType::Int8).unwrap();
        assert_eq!(values(stream, &a), [Scalar::Int(1); 10]);
        let error = Array::empty(stream, &[usize::MAX / 2, 4], DType::Float64).unwrap_err();
        assert!(matches!(error, Error::Shape(_)), "{error}");
    });
}

/// Whoever gets a freed block waits for the work that still uses it, on any stream.
#[test]
fn freed_memory_is_not_used_too_early() {
    on_every_device(|stream| {
        let other = Stream::new(stream.device(), Priority::Normal).unwrap();
        let count = 400_000;
        let one = Arg::Scalar(Scalar::Int(1));
        let start = array(stream, &vec![Scalar::Int(0); count], &[count], DType::Int32);
        for round in 0..20 {
            let mut sum = start.clone();
            for _ in 0..3 {
                // Each result is freed while the next one still reads it.
                sum = ops::binary(&other, BinaryOp::Add, Arg::Array(&sum), one, None).unwrap();
            }
            let noise = ops::full(stream, &[count], Scalar::Int(round), DType::Int32).unwrap();
            drop(noise);
            let found = values(&other, &sum);
            assert!(found.iter().all(|&x| x == Scalar::Int(3)), "round {round}");
        }
        let stats = stream.device().memory_stats();
        assert!(stats.reused > 0, "{stats:?}");
    });
}
