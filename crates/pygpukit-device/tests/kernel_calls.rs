//! Kernel calls, from the source to the launch that a device is asked for.
#![cfg(feature = "nvrtc")]

#[path = "support/compiler.rs"]
mod compiler;
#[path = "support/paths.rs"]
mod paths;
#[path = "support/recorder.rs"]
mod recorder;

use compiler::toolchain;
use pygpukit_core::array::{DType, Index, Scalar};
use pygpukit_device::backend::Launch;
use pygpukit_device::jit::{Argument, ArrayArgument, Block, Kernel, LaunchOptions, dimensions};
use pygpukit_device::nvrtc::Source;
use pygpukit_device::{ArgumentError, Array, Device, Error, Stream};
use recorder::{Record, recorder};
use std::sync::Arc;

const SOURCE: &str = r"
struct Pair { float a; double b; };
typedef float real;
#define REAL double
__global__ void scale(float* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
__global__ void copy(const float* __restrict__ from, float* to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}
__global__ void numbers(bool b, char c, unsigned char u, short s, unsigned n, long long l, float f, double d) {}
__global__ void odd(Pair p, REAL r, real f, float4 v, void* any, float2 z, unsigned char u) {}
__global__ void unguarded(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }
__global__ void __launch_bounds__(128) bounded(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 1.0f;
}
__global__ void meeting(float* x) { __syncthreads(); x[threadIdx.x] = 1.0f; }
__global__ void sharing(float* x) { extern __shared__ float s[]; s[threadIdx.x] = *x; *x = s[0]; }
__global__ void plane(float* x) { x[threadIdx.y] = 1.0f; }
__global__ void lonely(int n) {}
__global__ void wide(float4* x, int n) { if (threadIdx.x < n) x[threadIdx.x].x = 1; }
";

struct Bench {
    device: Device,
    record: Arc<Record>,
    stream: Stream,
}

impl Bench {
    fn new() -> Self {
        Self::on(recorder())
    }

    fn on((device, record): (Device, Arc<Record>)) -> Self {
        let stream = device.default_stream().expect("a stream").clone();
        Self {
            device,
            record,
            stream,
        }
    }

    fn array(&self, size: usize, dtype: DType) -> Array {
        Array::empty(&self.stream, &[size], dtype).expect("memory")
    }

    fn launch(
        &self,
        kernel: &Kernel,
        options: LaunchOptions,
        arguments: &[Argument],
    ) -> Result<Vec<Launch>, Error> {
        // SAFETY: nothing runs.
        unsafe { kernel.launch(&self.stream, options, arguments) }?;
        Ok(self.record.take())
    }

    fn call(&self, function: &str, arguments: &[Argument]) -> Result<Vec<Launch>, Error> {
        self.launch(&kernel(function), LaunchOptions::default(), arguments)
    }

    fn refusal(&self, function: &str, arguments: &[Argument]) -> Error {
        let error = self.call(function, arguments).expect_err("a refusal");
        assert!(self.record.take().is_empty());
        error
    }
}

fn kernel(function: &str) -> Kernel {
    strided(function, &[])
}

fn strided(function: &str, names: &[&str]) -> Kernel {
    let names: Vec<String> = names.iter().map(|&name| name.into()).collect();
    let source = Source::from_text(SOURCE, "kernels.cu");
    Kernel::new(&toolchain(), source, function, &[], &names).expect("a kernel")
}

fn one(launches: Vec<Launch>) -> Launch {
    let [launch] = <[Launch; 1]>::try_from(launches).expect("one launch");
    launch
}

#[track_caller]
fn assert_type_error(error: &Error, parts: &[&str]) {
    assert!(
        matches!(error, Error::Argument(ArgumentError::Type(_))),
        "{error:?}"
    );
    for part in parts {
        assert!(error.to_string().contains(part), "{part} in {error}");
    }
}

#[track_caller]
fn assert_overflow(error: &Error, parts: &[&str]) {
    assert!(
        matches!(error, Error::Argument(ArgumentError::Overflow(_))),
        "{error:?}"
    );
    for part in parts {
        assert!(error.to_string().contains(part), "{part} in {error}");
    }
}

#[test]
fn parameters_are_laid_out_as_compiled() {
    let bench = Bench::new();
    let x = bench.array(1000, DType::Float32);
    let arguments = [(&x).into(), 0.5.into(), 1000.into()];
    let launch = one(bench.call("scale", &arguments).unwrap());
    let mut expected = x.address().to_ne_bytes().to_vec();
    expected.extend(0.5_f32.to_ne_bytes());
    expected.extend(1000_i32.to_ne_bytes());
    assert_eq!(launch.parameters, expected);
    assert_eq!(
        (launch.grid, launch.block, launch.shared),
        ([4, 1, 1], [256, 1, 1], 0)
    );
    assert_eq!(launch.function.name(), "_Z5scalePffi");
    let loads = bench.record.loads.lock().unwrap();
    assert!(
        loads[0].0.starts_with(b"\x7fELF"),
        "machine code is loaded, not PTX"
    );
}

#[test]
fn loaded_once_per_device() {
    let (first, second) = (Bench::new(), Bench::new());
    let kernel = kernel("lonely");
    let options = LaunchOptions {
        grid: Some([1; 3]),
        block: Some(Block::Threads([1; 3])),
        shared: 0,
    };
    for bench in [&first, &second, &first, &second] {
        one(bench.launch(&kernel, options, &[1.into()]).unwrap());
    }
    assert_eq!(first.record.loads.lock().unwrap().len(), 1);
    assert_eq!(second.record.loads.lock().unwrap().len(), 1);
}

#[test]
fn numbers_become_what_the_kernel_declares() {
    let bench = Bench::new();
    let arguments = [
        true.into(),
        (-1).into(),
        255.into(),
        (-2).into(),
        4_000_000_000_u32.into(),
        (-5_i64).into(),
        2.into(),
        0.25.into(),
    ];
    let options = LaunchOptions {
        grid: Some([1; 3]),
        ..LaunchOptions::default()
    };
    let launch = one(bench
        .launch(&kernel("numbers"), options, &arguments)
        .unwrap());
    let mut expected = vec![1, 255, 255, 0];
    expected.extend((-2_i16).to_ne_bytes());
    expected.extend([0, 0]);
    expected.extend(4_000_000_000_u32.to_ne_bytes());
    expected.extend([0; 4]);
    expected.extend((-5_i64).to_ne_bytes());
    expected.extend(2_f32.to_ne_bytes());
    expected.extend([0; 4]);
    expected.extend(0.25_f64.to_ne_bytes());
    assert_eq!(launch.parameters, expected);
}

#[test]
fn numbers_out_of_range_are_refused() {
    let bench = Bench::new();
    let good: Vec<Argument> = (0..8).map(|_| 1.into()).collect();
    for (place, argument, parts) in [
        (1, 128.into(), ["`c` is `char`", "`128`", "-128..=127"]),
        (
            2,
            (-1).into(),
            ["`u` is `unsigned char`", "`-1`", "0..=255"],
        ),
        (
            4,
            (1_i64 << 32).into(),
            ["`n` is `unsigned`", "`4294967296`", "0..=4294967295"],
        ),
        (
            5,
            u64::MAX.into(),
            ["`l` is `long long`", "18446744073709551615", "int64"],
        ),
        (0, 2.into(), ["`b` is `bool`", "`2`", "not 0 or 1"]),
        (6, 1e300.into(), ["`f` is `float`", "1e300", "beyond"]),
        (
            3,
            Argument::HugeInteger("9".repeat(60)),
            ["`s` is `short`", "9999", "out of bounds"],
        ),
    ] {
        let mut arguments = good.clone();
        arguments[place] = argument;
        assert_overflow(&bench.refusal("numbers", &arguments), &parts);
    }
    for (place, argument, parts) in [
        (
            4,
            1.5.into(),
            ["`n` is `unsigned`", "an integer", "`float`"],
        ),
        (0, 0.0.into(), ["`b` is `bool`", "True or False", "`float`"]),
        (
            7,
            Argument::Scalar(Scalar::Complex(1.0, 0.0)),
            ["`d` is `double`", "a real number", "`complex`"],
        ),
        (
            7,
            Argument::Null,
            ["`d` is `double`", "a number", "`nullptr`"],
        ),
        (
            7,
            Argument::Other("str".into()),
            ["`d` is `double`", "a number", "`str`"],
        ),
        (
            5,
            Argument::Bytes(vec![0; 8]),
            ["`l` is `long long`", "a number", "8 bytes"],
        ),
        (
            5,
            (&bench.array(1, DType::Int64)).into(),
            ["`l` is `long long`", "a number", "a `int64` array"],
        ),
    ] {
        let mut arguments = good.clone();
        arguments[place] = argument;
        assert_type_error(&bench.refusal("numbers", &arguments), &parts);
    }
    // Infinity and NaN are floats like others.
    for value in [f64::INFINITY, f64::NAN] {
        let mut arguments = good.clone();
        arguments[6] = value.into();
        let options = LaunchOptions {
            grid: Some([1; 3]),
            ..LaunchOptions::default()
        };
        one(bench
            .launch(&kernel("numbers"), options, &arguments)
            .unwrap());
    }
}

#[test]
fn wrong_things_for_a_pointer() {
    let bench = Bench::new();
    for (given, parts) in [
        (
            Argument::from(&bench.array(4, DType::Float64)),
            ["`x` is `float*`", "float32 array", "a `float64` array"],
        ),
        (
            Argument::Other("numpy.ndarray".into()),
            ["`x` is `float*`", "on the device", "`numpy.ndarray`"],
        ),
        (
            Argument::Other("NoneType".into()),
            ["`x` is `float*`", "`nullptr`", "`NoneType`"],
        ),
        (
            Argument::Other("list".into()),
            ["`x` is `float*`", "float32 array", "`list`"],
        ),
        (1.into(), ["`x` is `float*`", "float32 array", "a `int`"]),
        (
            Argument::Bytes(vec![0; 8]),
            ["`x` is `float*`", "float32 array", "8 bytes"],
        ),
    ] {
        let error = bench.refusal("scale", &[given, 0.5.into(), 4.into()]);
        assert_type_error(&error, &parts);
    }
}

#[test]
fn null_and_void_pointers() {
    let bench = Bench::new();
    let kernel = kernel("odd");
    let options = LaunchOptions {
        grid: Some([1; 3]),
        ..LaunchOptions::default()
    };
    let arguments = |any: Argument| {
        let pair = Argument::Bytes((0..16).collect());
        let vector = Argument::Bytes((16..32).collect());
        let complex = Argument::Scalar(Scalar::Complex(1.0, -1.0));
        [
            pair,
            0.5.into(),
            0.25.into(),
            vector,
            any,
            complex,
            7.into(),
        ]
    };
    for dtype in DType::ALL {
        let array = bench.array(3, dtype);
        let launch = one(bench
            .launch(&kernel, options, &arguments((&array).into()))
            .unwrap());
        assert_eq!(launch.parameters[48..56], array.address().to_ne_bytes());
    }
    let launch = one(bench
        .launch(&kernel, options, &arguments(Argument::Null))
        .unwrap());
    let mut expected: Vec<u8> = (0..16).collect();
    // A macro's type is taken as the image has it.
    expected.extend(0.5_f64.to_ne_bytes());
    expected.extend(0.25_f32.to_ne_bytes());
    expected.extend([0; 4]);
    expected.extend(16..32);
    expected.extend([0; 8]);
    expected.extend(1_f32.to_ne_bytes());
    expected.extend((-1_f32).to_ne_bytes());
    expected.push(7);
    assert_eq!(launch.parameters, expected);
    let mut short = arguments(Argument::Null);
    short[0] = Argument::Bytes(vec![0; 15]);
    let error = bench.launch(&kernel, options, &short).unwrap_err();
    assert!(matches!(error, Error::Argument(ArgumentError::Value(_))));
    assert!(
        error
            .to_string()
            .contains("`p` is `Pair` and takes 16 bytes, not 15"),
        "{error}"
    );
    short[0] = 1.into();
    let error = bench.launch(&kernel, options, &short).unwrap_err();
    assert_type_error(&error, &["`p` is `Pair`", "16 bytes", "`int`"]);
}

#[test]
fn strides_must_be_declared() {
    let bench = Bench::new();
    let whole = bench.array(64, DType::Float32);
    let view = whole.index(&[Index::Slice(None, None, Some(2))]).unwrap();
    let arguments = [(&view).into(), 1.0.into(), 32.into()];
    let error = bench.refusal("scale", &arguments);
    assert!(matches!(error, Error::Argument(ArgumentError::Value(_))));
    assert!(error.to_string().contains("strided=(\"x\",)"), "{error}");
    let kernel = strided("scale", &["x"]);
    let launch = one(bench
        .launch(&kernel, LaunchOptions::default(), &arguments)
        .unwrap());
    assert_eq!(launch.parameters[..8], view.address().to_ne_bytes());
    let source = Source::from_text(SOURCE, "kernels.cu");
    let error = Kernel::new(&toolchain(), source, "scale", &[], &["y".into()]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "strided names `y`, which is no parameter of `scale`; they are `x`, `factor`, `n`"
    );
}

#[test]
fn memory_that_may_not_be_used_so() {
    let bench = Bench::new();
    let array = bench.array(64, DType::Float32);
    let as_argument = |address, is_readonly| {
        Argument::Array(ArrayArgument {
            buffer: Arc::clone(array.buffer()),
            address,
            dtype: Some(DType::Float32),
            size: 8,
            is_contiguous: true,
            is_readonly,
        })
    };
    let good = as_argument(array.address(), false);
    let readonly = as_argument(array.address(), true);
    one(bench
        .call("copy", &[readonly.clone(), good.clone(), 8.into()])
        .unwrap());
    let error = bench.refusal("copy", &[good.clone(), readonly, 8.into()]);
    assert!(
        error
            .to_string()
            .contains("`to` is `float*` and got a read-only array"),
        "{error}"
    );
    let shifted = as_argument(array.address() + 4, false);
    let error = bench.refusal("wide", &[shifted, 8.into()]);
    assert!(error.to_string().contains("a multiple of 16"), "{error}");
    let other = Bench::new();
    let error = other.refusal("scale", &[good, 1.0.into(), 8.into()]);
    assert!(
        error.to_string().contains("got an array on device"),
        "{error}"
    );
}

#[test]
fn names_as_in_python() {
    let kernel = kernel("scale");
    for (positional, names, order) in [
        (3, &[][..], [0, 1, 2]),
        (2, &["n"][..], [0, 1, 2]),
        (0, &["n", "x", "factor"][..], [1, 2, 0]),
        (1, &["n", "factor"][..], [0, 2, 1]),
    ] {
        assert_eq!(kernel.bind(positional, names).unwrap(), order);
    }
    for (positional, names, text) in [
        (
            4,
            &[][..],
            "scale() takes 3 positional arguments but 4 were given",
        ),
        (1, &["n"], "scale() missing 1 required argument: 'factor'"),
        (
            1,
            &[],
            "scale() missing 2 required arguments: 'factor' and 'n'",
        ),
        (
            0,
            &[],
            "scale() missing 3 required arguments: 'x', 'factor', and 'n'",
        ),
        (3, &["y"], "scale() got an unexpected keyword argument 'y'"),
        (
            2,
            &["x", "n"],
            "scale() got multiple values for argument 'x'",
        ),
        (
            0,
            &["x", "x", "n"],
            "scale() got multiple values for argument 'x'",
        ),
    ] {
        let error = kernel.bind(positional, names).unwrap_err();
        assert_type_error(&error, &[text]);
    }
    let bench = Bench::new();
    assert_type_error(&bench.refusal("scale", &[]), &["missing 3 required"]);
}

#[test]
fn a_grid_is_chosen_only_where_it_cannot_harm() {
    let bench = Bench::new();
    let x = |size| Argument::from(&bench.array(size, DType::Float32));
    for (size, grid) in [(1, 1), (256, 1), (257, 2), (1 << 20, 4096)] {
        let launch = one(bench
            .call("scale", &[x(size), 1.0.into(), 1.into()])
            .unwrap());
        assert_eq!(
            (launch.grid, launch.block),
            ([grid, 1, 1], [256, 1, 1]),
            "{size}"
        );
    }
    // The largest array counts, whatever its place.
    let launch = one(bench.call("copy", &[x(10), x(1000), 10.into()]).unwrap());
    assert_eq!(launch.grid, [4, 1, 1]);
    let launch = one(bench.call("bounded", &[x(1000), 1000.into()]).unwrap());
    assert_eq!((launch.grid, launch.block), ([8, 1, 1], [128, 1, 1]));
    // Without a comparison, threads beyond the end would write there.
    one(bench.call("unguarded", &[x(512)]).unwrap());
    for (function, arguments, reason) in [
        (
            "unguarded",
            vec![x(513)],
            "513 elements are no multiple of 256 threads",
        ),
        ("meeting", vec![x(8)], "its threads meet at barriers"),
        ("sharing", vec![x(8)], "it uses shared memory"),
        ("plane", vec![x(8)], "it uses more than one dimension"),
        ("lonely", vec![8.into()], "it takes no array"),
    ] {
        let error = bench.refusal(function, &arguments);
        assert_type_error(
            &error,
            &[
                &format!("kernel `{function}` needs grid= and block=: "),
                reason,
            ],
        );
    }
    // What the user says is done.
    let options = LaunchOptions {
        grid: Some([3, 2, 1]),
        block: Some(Block::Threads([8, 8, 8])),
        shared: 4096,
    };
    for function in ["meeting", "sharing", "plane", "unguarded"] {
        let launch = one(bench.launch(&kernel(function), options, &[x(8)]).unwrap());
        assert_eq!(
            (launch.grid, launch.block, launch.shared),
            ([3, 2, 1], [8, 8, 8], 4096)
        );
    }
}

#[test]
fn zero_size_arrays_launch_nothing() {
    let bench = Bench::new();
    let empty = Argument::from(&bench.array(0, DType::Float32));
    assert!(
        bench
            .call("scale", &[empty.clone(), 1.0.into(), 0.into()])
            .unwrap()
            .is_empty()
    );
    assert_type_error(
        &bench.refusal("scale", &[empty.clone(), 1.0.into(), 0.5.into()]),
        &["`n`"],
    );
    let options = LaunchOptions {
        grid: Some([1; 3]),
        ..LaunchOptions::default()
    };
    let launch = one(bench
        .launch(&kernel("scale"), options, &[empty, 1.0.into(), 0.into()])
        .unwrap());
    assert_eq!(launch.parameters[..8], [0; 8]);
}

#[test]
fn resources_lower_the_block() {
    let bench = Bench::on(recorder::with_info(recorder::info(), 96));
    let x = Argument::from(&bench.array(1000, DType::Float32));
    let arguments = [x, 1.0.into(), 1.into()];
    let launch = one(bench.call("scale", &arguments).unwrap());
    assert_eq!((launch.grid, launch.block), ([11, 1, 1], [96, 1, 1]));
    let options = LaunchOptions {
        block: Some(Block::Threads([128, 1, 1])),
        ..LaunchOptions::default()
    };
    let error = bench
        .launch(&kernel("scale"), options, &arguments)
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("is 128 for kernel `scale`; its code allows 96"),
        "{error}"
    );
}

#[test]
fn occupancy_is_asked_of_the_loaded_kernel() {
    let bench = Bench::new();
    let x = Argument::from(&bench.array(1000, DType::Float32));
    for (shared, block) in [(0, 768), (1024, 384)] {
        let options = LaunchOptions {
            grid: None,
            block: Some(Block::Occupancy),
            shared,
        };
        let arguments = [x.clone(), 1.0.into(), 1.into()];
        let launch = one(bench.launch(&kernel("scale"), options, &arguments).unwrap());
        assert_eq!(launch.block, [block, 1, 1]);
        assert_eq!(launch.grid, [1000_u32.div_ceil(block), 1, 1]);
    }
}

#[test]
fn limits_are_named() {
    let bench = Bench::new();
    let x = Argument::from(&bench.array(8, DType::Float32));
    for (grid, block, shared, text) in [
        (
            [1, 1, 1],
            [2048, 1, 1],
            0,
            "block x is 2048 for kernel `scale`; device `recorder` allows 1024",
        ),
        (
            [1, 1, 1],
            [1, 1, 65],
            0,
            "block z is 65 for kernel `scale`; device `recorder` allows 64",
        ),
        (
            [1, 1, 1],
            [64, 32, 1],
            0,
            "the number of threads in a block is 2048",
        ),
        (
            [1, 65_536, 1],
            [1, 1, 1],
            0,
            "grid y is 65536 for kernel `scale`; device `recorder` allows 65535",
        ),
        (
            [1, 1, 1],
            [1, 1, 1],
            1 << 20,
            "shared memory of a block is 1048576",
        ),
    ] {
        let options = LaunchOptions {
            grid: Some(grid),
            block: Some(Block::Threads(block)),
            shared,
        };
        let error = bench
            .launch(
                &kernel("scale"),
                options,
                &[x.clone(), 1.0.into(), 8.into()],
            )
            .unwrap_err();
        assert!(
            matches!(error, Error::Value(_)) && error.to_string().contains(text),
            "{error}"
        );
    }
    assert_eq!(dimensions("grid", &[2, 3]).unwrap(), [2, 3, 1]);
    for (lengths, text) in [
        (&[][..], "grid has 0 axes; it takes 1 to 3"),
        (&[1, 2, 3, 4], "grid has 4 axes; it takes 1 to 3"),
        (&[0], "grid x is `0`; it takes 1 to"),
        (&[1, -1], "grid y is `-1`; it takes 1 to"),
        (&[1, 1, 1 << 32], "grid z is `4294967296`; it takes 1 to"),
    ] {
        assert!(
            dimensions("grid", lengths)
                .unwrap_err()
                .to_string()
                .contains(text)
        );
    }
}

#[test]
fn what_is_missing_or_wrong_is_named_alone() {
    let bench = Bench::new();
    let refused = |function: &str, grid, block: Option<[u32; 3]>, arguments: &[Argument]| {
        let options = LaunchOptions {
            grid,
            block: block.map(Block::Threads),
            shared: 0,
        };
        let launched = bench.launch(&kernel(function), options, arguments);
        launched.unwrap_err().to_string()
    };
    let x = Argument::from(&bench.array(8, DType::Float32));
    let reason = "kernel `lonely` needs grid=: it takes no array";
    assert!(refused("lonely", None, Some([32, 1, 1]), &[1.into()]).contains(reason));
    let reason = "kernel `meeting` needs block=: its threads meet";
    assert!(refused("meeting", Some([1, 1, 1]), None, std::slice::from_ref(&x)).contains(reason));
    let reason = "kernel `meeting` needs grid= and block=: its threads meet";
    assert!(refused("meeting", None, None, std::slice::from_ref(&x)).contains(reason));
    let reason = "block x is 1025 for kernel `lonely`";
    assert!(refused("lonely", None, Some([1025, 1, 1]), &[1.into()]).contains(reason));
}

#[test]
fn only_arrays_are_strided() {
    let new = |name: &str| {
        let source = Source::from_text(SOURCE, "source.cu");
        Kernel::new(&toolchain(), source, "odd", &[], &[name.to_owned()])
    };
    assert_eq!(
        new("f").unwrap_err().to_string(),
        "strided names `f`, which is a number of `odd`; only arrays have strides"
    );
    assert!(
        new("q")
            .unwrap_err()
            .to_string()
            .contains("no parameter of `odd`; they are `p`, `r`")
    );
    // What a macro or a structure is, only the compiler knows.
    assert!(new("any").is_ok() && new("r").is_ok());
}

#[test]
fn a_config_is_what_a_launch_would_use() {
    let bench = Bench::new();
    let x = Argument::from(&bench.array(1000, DType::Float32));
    let arguments = [x, 1.0.into(), 1.into()];
    let kernel = kernel("scale");
    let config = kernel
        .launch_config(&bench.device, LaunchOptions::default(), &arguments)
        .unwrap();
    assert!(bench.record.take().is_empty());
    let launch = one(bench
        .launch(&kernel, LaunchOptions::default(), &arguments)
        .unwrap());
    assert_eq!(
        (config.grid, config.block, config.shared),
        (launch.grid, launch.block, launch.shared)
    );
}

#[cfg(feature = "cpu")]
#[test]
fn the_cpu_checks_everything_before_it_declines() {
    let device = Device::open("cpu").unwrap();
    let stream = device.default_stream().unwrap();
    let x = Argument::from(&Array::empty(stream, &[1000], DType::Float32).unwrap());
    let launch = |function: &str, options, arguments: &[Argument]| {
        // SAFETY: nothing runs.
        unsafe { kernel(function).launch(stream, options, arguments) }.unwrap_err()
    };
    let default = LaunchOptions::default();
    let error = launch("scale", default, &[x.clone(), 1.0.into(), 1.into()]);
    assert!(matches!(error, Error::Unsupported(_)));
    assert!(
        error
            .to_string()
            .contains("launching kernel `scale` needs a GPU"),
        "{error}"
    );
    assert_overflow(
        &launch(
            "scale",
            default,
            &[x.clone(), 1.0.into(), (1_i64 << 31).into()],
        ),
        &["`n`"],
    );
    assert_type_error(
        &launch("meeting", default, std::slice::from_ref(&x)),
        &["needs grid= and block="],
    );
    let large = LaunchOptions {
        block: Some(Block::Threads([2048, 1, 1])),
        ..default
    };
    let error = launch("scale", large, &[x.clone(), 1.0.into(), 1.into()]);
    assert!(matches!(error, Error::Value(_)), "{error}");
    let config = kernel("scale")
        .launch_config(&device, default, &[x, 1.0.into(), 1.into()])
        .unwrap();
    assert_eq!((config.grid, config.block), ([4, 1, 1], [256, 1, 1]));
}

#[test]
fn targets_in_options() {
    let source = || Source::from_text(SOURCE, "kernels.cu");
    let new = |options: &[&str]| {
        let options: Vec<String> = options.iter().map(|&option| option.into()).collect();
        Kernel::new(&toolchain(), source(), "scale", &options, &[])
    };
    for options in [
        &["-arch=sm_80", "-G"][..],
        &["--gpu-architecture=sm_80", "-G"],
        &["-G", "-arch", "sm_80"],
    ] {
        let kernel = new(options).unwrap();
        assert_eq!(kernel.options(), ["-G"]);
        let compiled = kernel.compile(None, None).unwrap();
        assert_eq!(compiled.image().arch.to_string(), "sm_80");
    }
    assert!(
        new(&["-arch=native"])
            .unwrap_err()
            .to_string()
            .contains("`native`")
    );
    assert!(new(&["-arch"]).is_err());
}

#[test]
fn parameters_made_by_macros_are_explained() {
    let text = "#define BOTH(x, y) float* x, float* y\n__global__ void k(BOTH(x, y)) {}";
    let kernel = Kernel::new(&toolchain(), Source::from_text(text, "k.cu"), "k", &[], &[]);
    let text = kernel.unwrap().compile(None, None).unwrap_err().to_string();
    assert!(
        text.contains("2 parameters when compiled and 1 as its source reads"),
        "{text}"
    );
}

#[test]
fn half_precision_numbers() {
    // NVRTC alone has no cuda_fp16.h: a type of that name and size will do.
    let text = "struct __align__(2) __half { unsigned short bits; };\n__global__ void k(__half h, __half* x) {}";
    let kernel = Kernel::new(&toolchain(), Source::from_text(text, "k.cu"), "k", &[], &[]).unwrap();
    let bench = Bench::new();
    let options = LaunchOptions {
        grid: Some([1; 3]),
        ..LaunchOptions::default()
    };
    let launch = one(bench
        .launch(&kernel, options, &[0.5.into(), Argument::Null])
        .unwrap());
    assert_eq!(launch.parameters[..2], 0x3800_u16.to_ne_bytes());
    let x = Argument::from(&bench.array(3, DType::Float16));
    one(bench
        .launch(&kernel, options, &[65_504.0.into(), x])
        .unwrap());
    let error = bench
        .launch(&kernel, options, &[1e6.into(), Argument::Null])
        .unwrap_err();
    assert_overflow(&error, &["`h` is `__half`", "beyond `float16`"]);
}
