//! A tour of PyGPUkit from Rust. Runs on the default device; choose another with
//! `PYGPUKIT_DEVICE=cpu cargo run -p pygpukit --example quickstart`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]
#![expect(clippy::float_cmp, reason = "small whole numbers are exact")]

use pygpukit::jit::{Argument, Kernel, LaunchOptions, Source, Toolchain};
use pygpukit::ops::{self, Arg};
use pygpukit::scheduler::{Admission, MemoryAsk, Policy, Request, Scheduler, SchedulerOptions};
use pygpukit::scheduler::{ShareAsk, TaskContext, TaskSpec};
use pygpukit::units::{Bytes, Share};
use pygpukit::{Array, BinaryOp, DType, Device, Error, Index, Result, Scalar, Stream};

const SCALE: &str = r#"
extern "C" __global__ void scale(float* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::default_device()?;
    let stream = device.default_stream()?;
    println!("PyGPUkit on {}: {}", device.id(), device.info().name);

    arrays(stream)?;
    elementwise(stream)?;
    matrix_product(stream)?;
    custom_kernel(stream)?;
    scheduled_task(&device)?;
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

fn custom_kernel(stream: &Stream) -> Result<()> {
    let source = Source::from_text(SCALE, "scale.cu");
    let kernel = Kernel::new(Toolchain::shared(), source, "scale", &[], &[])?;
    let x = ops::ones(stream, &[1000], DType::Float32)?;
    let arguments = [Argument::from(&x), 0.5_f32.into(), 1000_i32.into()];
    // SAFETY: the kernel writes x[0 .. n], and n is the length of `x`.
    match unsafe { kernel.launch(stream, LaunchOptions::default(), &arguments) } {
        Ok(()) => {
            assert_eq!(x.to_vec::<f32>(stream)?, [0.5; 1000]);
            println!("  custom kernel   x *= factor, on 1000 elements");
        }
        Err(Error::Unsupported(reason)) => println!("  custom kernel   {reason}"),
        Err(error) => return Err(error),
    }
    Ok(())
}

fn scheduled_task(device: &Device) -> Result<(), Box<dyn std::error::Error>> {
    let memory: Bytes = "64MiB".parse()?;
    let share: Share = "0.2".parse()?;
    let request = Request::try_from(TaskSpec {
        name: Some("squares".into()),
        memory: Some(MemoryAsk {
            request: memory,
            limit: Some(memory),
        }),
        bandwidth: Some(ShareAsk {
            floor: share,
            cap: share,
        }),
        policy: Some(Policy::Guaranteed),
        ..TaskSpec::default()
    })?;

    let scheduler = Scheduler::new(device, SchedulerOptions::default())?;
    let promise = scheduler.submit(request, squares)?;
    let admission = promise.task().admission();
    assert!(matches!(admission, Admission::Admitted { .. }));
    let result = promise.wait(None)?.ok_or("its value is taken once")?;
    let result = result.map_err(|outcome| format!("{outcome:?}"))?;
    let values = result.to_vec::<f32>(device.default_stream()?)?;
    assert_eq!(values, [0.0, 1.0, 4.0, 9.0]);
    let done = scheduler.stats()?.device.counters.completed;
    scheduler.close(true, false)?;
    println!("  scheduled task  {memory} and {share} of the time reserved, {done} done");
    Ok(())
}

/// What the task runs: on its own stream, with memory that it pays for.
fn squares(context: &TaskContext) -> Result<Array> {
    let stream = context.stream();
    let [first, end, step] = [0, 4, 1].map(Scalar::Int);
    let x = ops::arange(stream, first, end, step, DType::Float32)?;
    ops::binary(
        stream,
        BinaryOp::Multiply,
        Arg::Array(&x),
        Arg::Array(&x),
        None,
    )
}
