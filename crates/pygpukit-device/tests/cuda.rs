//! What only a GPU shows: streams that overlap, faults, sizes past 2^31. Passes
//! without a word where there is no CUDA device.

#![cfg(all(feature = "cuda", feature = "nvrtc"))]
#![expect(clippy::unwrap_used, reason = "a test fails so")]

#[path = "support/compiler.rs"]
mod compiler;
#[path = "support/paths.rs"]
mod paths;

use pygpukit_core::array::{BinaryOp, DType, Index, Layout, Scalar};
use pygpukit_device::backend::{Function, Launch, Priority, Work};
use pygpukit_device::nvrtc::{Image, Source};
use pygpukit_device::ops::{self, Arg};
use pygpukit_device::{Array, Device, Error, Stream, devices};
use std::sync::Arc;
use std::time::Duration;

const FOREVER: Duration = Duration::from_secs(3600);

const SOURCE: &str = r#"
// Waits for the host to write `open`; gives up after a while, with another answer.
extern "C" __global__ void gate(volatile int* open, int* answer) {
    const long long start = clock64();
    while (*open == 0 && clock64() - start < 20000000000LL) {}
    *answer = *open == 0 ? -1 : 42;
}
extern "C" __global__ void reverse(int* values, long long count) {
    extern __shared__ int kept[];
    for (int i = threadIdx.x; i < count; i += blockDim.x) kept[i] = values[i];
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) values[i] = kept[count - 1 - i];
}
extern "C" __global__ void crash(int* nowhere) { *nowhere = 1; }
"#;

fn device() -> Option<Device> {
    devices()
        .into_iter()
        .find(|id| id.to_string() == "cuda:0")
        .map(|id| Device::by_id(id).unwrap())
}

fn image(device: &Device, entry: &str) -> Arc<Image> {
    let info = device.info();
    let driver = info.driver_version.map(|(major, _)| major);
    let toolchain = compiler::toolchain();
    let arch = toolchain
        .arch_for(info.compute_capability.unwrap(), driver)
        .unwrap();
    let source = Source::from_text(SOURCE, "cuda.rs");
    toolchain
        .compile(&source, entry, &[], arch, driver)
        .unwrap()
}

fn kernel(device: &Device, entry: &str) -> Arc<dyn Function> {
    let image = image(device, entry);
    let loadable = image.cubin.as_deref().unwrap_or(image.ptx.as_bytes());
    device.backend().load(loadable, entry).unwrap()
}

/// Launches one block with 8-byte parameters.
fn launch(
    stream: &Stream,
    function: Arc<dyn Function>,
    parameters: &[u64],
    shared: u32,
    writes: &[&Array],
) {
    let launch = Launch {
        function,
        grid: [1; 3],
        block: [1, 1, 1],
        shared,
        parameters: parameters
            .iter()
            .flat_map(|word| word.to_ne_bytes())
            .collect(),
    };
    let buffers: Vec<_> = writes.iter().map(|array| &**array.buffer()).collect();
    // SAFETY: the kernels touch the arrays named, and `gate` a live flag.
    unsafe { stream.submit(Work::Launch(launch), &[], &buffers) }.unwrap();
}

fn integers(stream: &Stream, array: &Array) -> Vec<i32> {
    let mut bytes = vec![0; array.nbytes()];
    array.read_bytes(stream, &mut bytes).unwrap();
    let words = bytes.chunks_exact(4);
    words
        .map(|word| i32::from_ne_bytes(word.try_into().unwrap()))
        .collect()
}

/// While one stream is held back, others and copies go on, and who needs its
/// result waits for it.
#[test]
fn streams_and_copies_do_not_wait_for_each_other() {
    let Some(device) = device() else { return };
    let stream = |priority| Stream::new(&device, priority).unwrap();
    let (held, free) = (stream(Priority::Normal), stream(Priority::High));
    let gate = kernel(&device, "gate");
    // Compiled before, so that nothing but the gate takes time.
    let open = ops::zeros(&free, &[1], DType::Int32).unwrap();
    let answer = ops::zeros(&free, &[1], DType::Int32).unwrap();
    let ones = ops::ones(&free, &[1000], DType::Int32).unwrap();
    let add = |stream: &Stream, left: &Array, right: &Array| {
        ops::binary(
            stream,
            BinaryOp::Add,
            Arg::Array(left),
            Arg::Array(right),
            None,
        )
        .unwrap()
    };
    assert_eq!(integers(&free, &add(&free, &ones, &ones)), [2; 1000]);
    free.synchronize().unwrap();
    launch(
        &held,
        gate,
        &[open.address(), answer.address()],
        0,
        &[&answer],
    );
    assert!(!held.synchronize_for(Duration::from_millis(1)).unwrap());
    assert_eq!(
        integers(&free, &add(&free, &ones, &ones)),
        [2; 1000],
        "on another stream"
    );
    let sum = add(&free, &answer, &answer);
    assert!(
        !sum.wait(Duration::from_millis(1)).unwrap(),
        "reads what the gate writes"
    );
    assert!(!held.is_idle().unwrap());
    // SAFETY: the flag is there; only the gate reads it.
    unsafe { device.backend().write(open.address(), &1_i32.to_ne_bytes()) }.unwrap();
    assert_eq!(integers(&free, &sum), [84]);
    assert!(held.is_idle().unwrap());
}

#[test]
fn adopted_streams_keep_the_order() {
    let Some(device) = device() else { return };
    let own = Stream::new(&device, Priority::Normal).unwrap();
    // SAFETY: `own` lives longer.
    let adopted = unsafe { Stream::adopt(&device, own.handle()) }.unwrap();
    let ones = ops::ones(&adopted, &[100_000], DType::Int32).unwrap();
    let mut sum = ones.clone();
    for turn in 0..20 {
        let stream = if turn % 2 == 0 { &own } else { &adopted };
        sum = ops::binary(
            stream,
            BinaryOp::Add,
            Arg::Array(&sum),
            Arg::Array(&ones),
            None,
        )
        .unwrap();
    }
    assert_eq!(integers(&own, &sum), vec![21; 100_000]);
    assert!(adopted.synchronize_for(FOREVER).unwrap());
}

#[test]
fn shared_memory_beyond_what_is_free() {
    let Some(device) = device() else { return };
    let stream = device.default_stream().unwrap();
    let count = 20_000_u64;
    let most = u64::from(device.info().shared_memory_per_block_optin);
    if 4 * count > most {
        return; // an older GPU with less
    }
    let values = ops::arange(
        stream,
        Scalar::Int(0),
        Scalar::Int(count.into()),
        Scalar::Int(1),
        DType::Int32,
    )
    .unwrap();
    let bytes = u32::try_from(4 * count).unwrap();
    launch(
        stream,
        kernel(&device, "reverse"),
        &[values.address(), count],
        bytes,
        &[&values],
    );
    let expected: Vec<i32> = (0..20_000).rev().collect();
    assert_eq!(integers(stream, &values), expected);
}

#[test]
fn unaligned_elements_are_refused_not_read() {
    let Some(device) = device() else { return };
    let stream = device.default_stream().unwrap();
    let bytes = ops::zeros(stream, &[64], DType::UInt8).unwrap();
    let layout = Layout::strided(&[4], &[4], 2, 4);
    let odd = Array::from_parts(Arc::clone(bytes.buffer()), layout, DType::Float32).unwrap();
    let error = ops::copy(stream, &odd).unwrap_err();
    assert!(
        matches!(&error, Error::Unsupported(text) if text.contains("multiples of 4")),
        "{error}"
    );
    stream.synchronize().unwrap();
}

/// The low byte of a number.
fn low(number: usize) -> u8 {
    number.to_le_bytes()[0]
}

/// Compares bytes near the ends of a vector, and near 2^31 and 2^32, modulo 256.
fn check_bytes(stream: &Stream, array: &Array, expected: impl Fn(usize) -> usize, what: &str) {
    const COUNT: usize = 100;
    for start in [0, (1 << 31) - 50, (1 << 32) - 50, array.size() - COUNT] {
        let end = (start + COUNT).cast_signed();
        let part = Index::Slice(Some(start.cast_signed()), Some(end), None);
        let mut found = [0; COUNT];
        let part = array.index(&[part]).unwrap();
        part.read_bytes(stream, &mut found).unwrap();
        for (i, &found) in (start..).zip(&found) {
            assert_eq!(found, low(expected(i)), "{what}: element {i}");
        }
    }
}

#[test]
fn sizes_past_the_range_of_32_bits() {
    let Some(device) = device() else { return };
    let size = (1_usize << 32) + 77;
    if device.info().total_memory < 5 * size as u64 {
        return; // a smaller GPU
    }
    let stream = device.default_stream().unwrap();
    let [zero, one] = [0, 1].map(Scalar::Int);
    let last = Scalar::Int(size as i128);
    let up = ops::arange(stream, zero, last, one, DType::UInt8).unwrap();
    check_bytes(stream, &up, |i| i, "arange");
    let down = up.index(&[Index::Slice(None, None, Some(-1))]).unwrap();
    let down = ops::copy(stream, &down).unwrap();
    check_bytes(stream, &down, |i| size - 1 - i, "a reversed copy");
    let [left, right] = [&up, &down].map(Arg::Array);
    let sum = ops::binary(stream, BinaryOp::Add, left, right, None).unwrap();
    check_bytes(stream, &sum, |_| size - 1, "a sum");
    drop((down, sum));
    // A column of 2^28 + 4 by a row of 16: more than 2^32 products.
    let tall = Layout::strided(&[size / 16, 1], &[1, 1], 0, 1);
    let tall = Array::from_parts(Arc::clone(up.buffer()), tall, DType::UInt8).unwrap();
    let wide = ops::arange(stream, one, Scalar::Int(17), one, DType::UInt8).unwrap();
    let wide = ops::reshape(stream, &wide, &[1, 16]).unwrap();
    let product = ops::matmul(stream, &tall, &wide, None, false).unwrap();
    let product = ops::reshape(stream, &product, &[-1]).unwrap();
    assert!(product.size() > 1 << 32);
    check_bytes(stream, &product, |i| i / 16 * (i % 16 + 1), "a product");
    drop(product);
    device.trim().unwrap();
}

/// In a process of its own: a fault takes the whole context with it.
#[test]
fn a_fault_is_named_and_stays() {
    const CHILD: &str = "PYGPUKIT_TEST_FAULT";
    if device().is_none() {
        return;
    }
    if std::env::var_os(CHILD).is_none() {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["a_fault_is_named_and_stays", "--exact", "--nocapture"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        let (out, err) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        assert!(output.status.success() && err.is_empty(), "{out}{err}");
        return;
    }
    let device = device().unwrap();
    let stream = device.default_stream().unwrap();
    let target = ops::ones(stream, &[5], DType::Int32).unwrap();
    stream.synchronize().unwrap();
    launch(stream, kernel(&device, "crash"), &[0], 0, &[&target]);
    let error = stream.synchronize().unwrap_err();
    let Error::Fault { work, reason, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(work, "`crash`");
    assert!(reason.contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{reason}");
    let later = ops::ones(stream, &[5], DType::Int32).unwrap_err();
    assert_eq!(later.to_string(), error.to_string());
    let read = target.read_bytes(stream, &mut [0; 20]).unwrap_err();
    assert_eq!(read.to_string(), error.to_string());
}
