//! A tour of PyGPUkit from Rust. Runs on the default device; choose another with
//! `PYGPUKIT_DEVICE=cpu cargo run -p pygpukit --example quickstart`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use pygpukit::ops::{self, Arg};
use pygpukit::{Array, BinaryOp, DType, Device, Index, Result, Scalar, Stream};

fn main() -> Result<()> {
    let device = Device::default_device()?;
    let stream = device.default_stream()?;
    println!("PyGPUkit on {}: {}", device.id(), device.info().name);

    arrays(stream)?;
    elementwise(stream)?;
    matrix_product(stream)?;
    Ok(())
}

fn arrays(stream: &Stream) -> Result<()> {
    let x = ops::zeros(stream, &[1024, 1024], DType::Float32)?;
    ops::fill(stream, &x.index(&[Index::At(0)])?, Scalar::Int(7))?;
    let values = x.to_vec::<f32>(stream)?;
    assert!(values[..1024].iter().all(|&value| value == 7.0));
    assert!(values[1024..].iter().all(|&value| value == 0.0));
    println!("  arrays          {} bytes, first row filled", x.nbytes());
    Ok(())
}

fn elementwise(stream: &Stream) -> Result<()> {
    let x = Array::from_slice(stream, &[1.0_f32, 2.0, 3.0], &[3])?;
    let y = Array::from_slice(stream, &[10_i32, 20, 30], &[3])?;
    // int32 and float32 promote to float64, as in NumPy.
    let sum = ops::binary(stream, BinaryOp::Add, Arg::Array(&x), Arg::Array(&y), None)?;
    assert_eq!(sum.to_vec::<f64>(stream)?, [11.0, 22.0, 33.0]);
    println!("  elementwise     float32 + int32 is {}", sum.dtype());
    Ok(())
}

fn matrix_product(stream: &Stream) -> Result<()> {
    let (rows, inner, columns) = (257, 129, 65);
    let x = ops::ones(stream, &[rows, inner], DType::Float32)?;
    let y = ops::ones(stream, &[inner, columns], DType::Float32)?;
    let product = ops::matmul(stream, &x, &y, None, false)?;
    assert_eq!(product.shape(), [rows, columns]);
    let expected = 129.0;
    let values = product.to_vec::<f32>(stream)?;
    assert!(values.iter().all(|&value| value == expected));
    println!("  matrix product  {rows}x{inner} @ {inner}x{columns}");
    Ok(())
}
