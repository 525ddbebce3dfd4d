//! Allocating, copying to and from the host, using freed memory again.

use crate::harness::{array, on_every_device, values};
use pygpukit_core::array::BinaryOp;
use pygpukit_core::array::{DType, Index, Scalar};
use pygpukit_device::backend::{DeviceId, Priority};
use pygpukit_device::ops::{self, Arg};
use pygpukit_device::{Array, Deferred, Error, Stream, Upload};
use std::time::Duration;

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
fn arrays_come_and_go_in_pieces() {
    on_every_device(|stream| {
        let bytes: Vec<u8> = (0..3000_u32).map(|i| (i * 31 % 251) as u8).collect();
        for size in [1, 999, 1000, 3000] {
            let mut upload = Upload::new(stream, &[100, 30], DType::UInt8).unwrap();
            while !upload.wait(Duration::from_secs(1)).unwrap() {}
            for piece in bytes.chunks(size) {
                upload.write(piece).unwrap();
            }
            let a = upload.finish().unwrap();
            let mut back = vec![0; bytes.len()];
            for (i, piece) in back.chunks_mut(size).enumerate() {
                a.read_piece(i * size, piece).unwrap();
            }
            assert!(back == bytes, "pieces of {size}");
        }
        let a = Array::from_bytes(stream, &bytes, &[100, 30], DType::UInt8).unwrap();
        let rows = a.index(&[Index::Slice(Some(50), None, None)]).unwrap();
        let mut piece = [0; 7];
        rows.read_piece(3, &mut piece).unwrap();
        assert_eq!(piece, bytes[50 * 30 + 3..][..7]);
        for (array, start) in [(&rows, 1494), (&rows, usize::MAX), (&a.transposed(), 0)] {
            let error = array.read_piece(start, &mut piece).unwrap_err();
            assert!(
                error.to_string().contains(&format!("7 bytes at {start}")),
                "{error}"
            );
        }
        let mut upload = Upload::new(stream, &[4], DType::UInt8).unwrap();
        upload.write(&[1, 2, 3]).unwrap();
        assert!(matches!(upload.write(&[4, 5]), Err(Error::Value(_))));
        assert!(matches!(upload.finish(), Err(Error::Value(_))));
    });
}

/// What others see is done when the call returns, or when the caller has waited.
#[test]
fn work_that_others_see_can_be_waited_for_later() {
    on_every_device(|stream| {
        let a = ops::ones(stream, &[300, 300], DType::Float64).unwrap();
        let product = || ops::matmul(stream, &a, &a, None, false).unwrap();
        let (_, deferred) = Deferred::collect(product);
        assert!(deferred.is_empty());
        a.buffer().share();
        product();
        let is_cpu = stream.device().id() == DeviceId::Cpu;
        assert!(!is_cpu || stream.is_idle().unwrap());
        let (c, deferred) = Deferred::collect(|| {
            // What is collected inside is not waited for outside.
            let (_, inner) = Deferred::collect(product);
            assert_eq!(inner.is_empty(), !is_cpu);
            product()
        });
        assert_eq!(deferred.is_empty(), !is_cpu);
        while !deferred.wait(Duration::from_secs(1)).unwrap() {}
        assert!(!is_cpu || stream.is_idle().unwrap());
        assert_eq!(values(stream, &c)[0], Scalar::Float(300.0));
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
