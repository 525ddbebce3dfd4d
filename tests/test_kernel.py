"""Custom kernels, as far as no GPU is needed: on the CPU device a launch is declined
after everything else has been checked. Compiling needs NVRTC, a dependency of the tests.
"""

import inspect
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pygpukit as gp

SOURCE = """
struct Pair { float a; double b; };
extern "C" __global__ void scale(float* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
__global__ void copy(const float* __restrict__ from, float* to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 100) to[i] = from[i];
}
__global__ void options(float* x, int grid, int block) { if (threadIdx.x < grid) x[block] = 1; }
__global__ void reserved(float* in, int n, float* out) { if (threadIdx.x < n) out[0] = in[0]; }
__global__ void pair(Pair p, float4 v, void* any) {}
__global__ void number(double d) {}
__global__ void flag(bool b) {}
__global__ void shared_memory(float* x) {
    extern __shared__ float s[]; s[threadIdx.x] = *x; *x = s[0];
}
__global__ void __launch_bounds__(64) bounded(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 1;
}
"""

ONE = {"grid": 1, "block": 1}


@pytest.fixture(autouse=True)
def _on_the_cpu():
    """Nothing is launched here, also on a machine with a GPU."""
    with gp.Device("cpu"):
        yield


def jit(func, **options):
    return gp.jit(SOURCE, func=func, **options)


@pytest.fixture
def x():
    return gp.zeros(1000, device="cpu")


def accepts(kernel, *args, **kwargs):
    """All checks pass, so that only the missing GPU is left to complain about."""
    with pytest.raises(gp.UnsupportedError, match="needs a GPU"):
        kernel(*args, **kwargs)


# The signature


def test_a_kernel_describes_itself():
    scale = jit("scale", options=["--use_fast_math"])
    assert repr(scale) == "<pygpukit.Kernel scale(float* x, float factor, int n)>"
    assert (scale.name, scale.__name__, scale.source) == ("scale", "scale", SOURCE)
    assert scale.options == ("--use_fast_math",)


def test_inspect_signature():
    signature = inspect.signature(jit("scale"))
    assert list(signature.parameters) == [
        "x", "factor", "n", "grid", "block", "shared", "stream",
    ]  # fmt: skip
    assert signature.parameters["x"].annotation == "float*"
    assert signature.bind(1, n=2, factor=3).arguments == {"x": 1, "factor": 3, "n": 2}
    with pytest.raises(TypeError):
        signature.bind(1, 2, 3, 4)
    # A kernel's own names come first; what Python reserves cannot be a keyword.
    assert list(inspect.signature(jit("options")).parameters) == [
        "x", "grid", "block", "shared", "stream",
    ]  # fmt: skip
    kinds = [p.kind for p in inspect.signature(jit("reserved")).parameters.values()]
    assert kinds[:3] == [
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    ]


def test_a_kernel_that_is_not_there():
    with pytest.raises(ValueError, match="there is no kernel `scal`; the source has `scale`"):
        jit("scal")
    with pytest.raises(ValueError, match="no `__global__` function"):
        gp.jit("int f();", func="f")


def test_wrong_things_to_jit(tmp_path):
    for bad in (None, 1, b"__global__ void k() {}", ["k"]):
        with pytest.raises(TypeError, match="str with its text or a Path"):
            gp.jit(bad, func="k")
    with pytest.raises(FileNotFoundError):
        gp.jit(tmp_path / "none.cu", func="k")
    with pytest.raises(TypeError):
        jit("scale", options="-G")
    with pytest.raises(ValueError, match="strided names `y`"):
        jit("scale", strided=("y",))
    with pytest.raises(ValueError, match="`sm_x`"):
        jit("scale", options=["-arch=sm_x"])


# P1: wrong counts and types


def test_too_few_and_too_many(x):
    scale = jit("scale")
    for args, text in [
        ((), "missing 3 required arguments: 'x', 'factor', and 'n'"),
        ((x, 1.0), "missing 1 required argument: 'n'"),
        ((x, 1.0, 1, 2), "takes 3 positional arguments but 4 were given"),
    ]:
        with pytest.raises(TypeError, match=text):
            scale(*args)


@pytest.mark.parametrize(
    ("given_", "name"),
    [
        (np.zeros(4, np.float32), "numpy.ndarray"),
        (None, "NoneType"),
        ([1.0, 2.0], "list"),
        ((1.0,), "tuple"),
        ("x", "str"),
        (1.0, "float"),
        (0, "int"),
        (object(), "object"),
        (b"abcd", "4 bytes"),
    ],
)
def test_wrong_things_for_a_pointer(given_, name):
    with pytest.raises(TypeError, match="parameter `x` is `float\\*`") as caught:
        jit("scale")(given_, 1.0, 1)
    assert name in str(caught.value)
    assert "float32 array" in str(caught.value)


@pytest.mark.parametrize("dtype", [gp.float64, gp.float16, gp.int32, gp.bool_])
def test_an_array_of_another_dtype(dtype):
    array = gp.zeros(4, dtype, device="cpu")
    with pytest.raises(TypeError, match=f"takes a float32 array, not a `{dtype.name}` array"):
        jit("scale")(array, 1.0, 1)


def test_wrong_things_for_a_number(x):
    scale = jit("scale")
    for bad, name in [(None, "NoneType"), ("1", "str"), ([1], "list"), (x, "float32"),
                      (gp.nullptr, "nullptr"), (1.5, "float"), (1j, "complex")]:  # fmt: skip
        with pytest.raises(TypeError, match="parameter `n` is `int`") as caught:
            scale(x, 1.0, bad)
        assert name in str(caught.value)
    with pytest.raises(TypeError, match="parameter `factor` is `float` and takes a real number"):
        scale(x, 1j, 1)


# P2: numbers become what C declares


def test_python_and_numpy_numbers(x):
    scale = jit("scale")
    for factor in (0.5, 2, True, np.float64(0.5), np.float32(0.5), np.float16(0.5), np.int8(2)):
        accepts(scale, x, factor, 1)
    for n in (1, True, np.int64(1), np.uint8(1), np.array(1), 2**31 - 1, -(2**31)):
        accepts(scale, x, 0.5, n)
    for factor in (0.5, float("inf"), float("nan"), 1e300):
        accepts(jit("number"), factor, **ONE)
    for flag in (True, False, 0, 1, np.True_):
        accepts(jit("flag"), flag, **ONE)


@pytest.mark.parametrize("n", [2**31, -(2**31) - 1, 2**63, 2**200, np.int64(2**31)])
def test_integers_out_of_range(x, n):
    with pytest.raises(OverflowError, match="parameter `n` is `int`"):
        jit("scale")(x, 0.5, n)


def test_integers_too_long_to_print(x):
    with pytest.raises(OverflowError, match="parameter `n` is `int`"):
        jit("scale")(x, 0.5, -(10**5000))


def test_floats_where_they_do_not_fit(x):
    for bad in (1.0, np.float64(1.0), np.float32(1.0)):
        with pytest.raises(TypeError, match="`n` is `int` and takes an integer"):
            jit("scale")(x, 0.5, bad)
    with pytest.raises(OverflowError, match="beyond `float32`"):
        jit("scale")(x, 1e300, 1)
    with pytest.raises(OverflowError, match="not 0 or 1"):
        jit("flag")(2, **ONE)


def test_half_precision():
    # NVRTC alone brings no cuda_fp16.h: a type of that name and size will do.
    source = """
    struct __align__(2) __half { unsigned short bits; };
    struct __align__(2) __nv_bfloat16 { unsigned short bits; };
    __global__ void k(__half h, __nv_bfloat16 b, __half* x) {}
    """
    kernel = gp.jit(source, func="k")
    accepts(kernel, 0.5, 0.5, gp.zeros(3, gp.float16, device="cpu"), **ONE)
    with pytest.raises(OverflowError, match="`h` is `__half`"):
        kernel(1e6, 0.5, gp.nullptr, **ONE)
    accepts(kernel, 1.0, 1e6, gp.nullptr, **ONE)
    with pytest.raises(TypeError, match="float16 array"):
        kernel(0.5, 0.5, gp.zeros(3, gp.bfloat16, device="cpu"), **ONE)


# P3: keywords


@given(st.permutations(["x", "factor", "n"]), st.integers(0, 3))
def test_any_mix_of_positions_and_names(order, positional):
    values = {"x": gp.zeros(3, device="cpu"), "factor": 0.5, "n": 3}
    names = list(values)
    by_position = [values[name] for name in names[:positional]]
    by_name = {name: values[name] for name in order if name in names[positional:]}
    accepts(jit("scale"), *by_position, **by_name)


def test_names_as_in_python(x):
    scale = jit("scale")
    with pytest.raises(TypeError, match=r"scale\(\) got an unexpected keyword argument 'y'"):
        scale(x, 1.0, 1, y=1)
    with pytest.raises(TypeError, match=r"scale\(\) got multiple values for argument 'x'"):
        scale(x, 1.0, n=1, x=x)
    with pytest.raises(TypeError, match="missing 2 required arguments: 'x' and 'factor'"):
        scale(n=1)
    accepts(jit("reserved"), **{"in": x}, n=1, out=x)


def test_parameters_named_like_options(x):
    kernel = jit("options")
    accepts(kernel.with_config(), x, grid=1, block=2)
    config = kernel.with_config(grid=7, block=32, shared=64)
    accepts(config, x, block=2, grid=1)
    shown = config.launch_config(x, 1, 2)
    assert (shown.grid, shown.block, shown.shared) == ((7, 1, 1), (32, 1, 1), 64)
    # By position they are parameters, by keyword they are the launch's.
    assert kernel.launch_config(x, 1, 2, grid=5).grid == (5, 1, 1)


# P4: strides


def test_strides_must_be_declared(x):
    for view in (x[::2], x.reshape(10, 100).T, x[::-1]):
        with pytest.raises(ValueError, match=r"non-contiguous .* strided=\(\"x\",\)"):
            jit("scale")(view, 1.0, 1)
        accepts(jit("scale", strided=("x",)), view, 1.0, 1)
    accepts(jit("scale"), x[100:200], 1.0, 1)


# What pointers and structures take


def test_memory_of_other_libraries():
    class Lender:
        """Speaks DLPack, and is not NumPy's."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    lender = Lender(np.zeros(100, np.float32))
    accepts(jit("scale"), lender, 1.0, 1)
    with pytest.raises(TypeError, match="takes a float32 array, not a `float64` array"):
        jit("scale")(Lender(np.zeros(100)), 1.0, 1)
    with pytest.raises(ValueError, match="non-contiguous"):
        jit("scale")(Lender(np.zeros(100, np.float32)[::2]), 1.0, 1)


def test_null_and_void_pointers(x):
    assert repr(gp.nullptr) == "nullptr"
    accepts(jit("scale"), gp.nullptr, 1.0, 1, **ONE)
    raw = (bytes(16), bytes(16))
    for array in (gp.nullptr, x, gp.zeros(3, gp.int8, device="cpu"), gp.zeros(0, device="cpu")):
        accepts(jit("pair"), *raw, array, **ONE)


def test_structures():
    pair = np.dtype([("a", "f4"), ("b", "f8")], align=True)
    kernel = jit("pair")
    vector = np.arange(4, dtype=np.float32).tobytes()
    for p in (
        np.zeros(1, pair)[0],
        np.zeros((), pair),
        bytes(16),
        bytearray(16),
        memoryview(bytes(16)),
    ):
        accepts(kernel, p, vector, gp.nullptr, **ONE)
    packed = np.zeros((), [("a", "f4"), ("b", "f8")])
    for bad in (packed, bytes(15), bytes(17), b""):
        with pytest.raises(ValueError, match="`p` is `Pair` and takes 16 bytes"):
            kernel(bad, vector, gp.nullptr, **ONE)
    for bad in (1, None, [1.0, 2.0]):
        with pytest.raises(TypeError, match="`p` is `Pair` and takes 16 bytes"):
            kernel(bad, vector, gp.nullptr, **ONE)


@pytest.mark.parametrize(
    ("dtype", "text"),
    [
        ([("a", "<f4"), ("b", ">f8")], "a structure whose field `b` is `>f8`, in the byte order"),
        ([("a", "<f4"), ("q", [("c", ">u4", (1,))]), ("b", "<f8")], "field `q.c` is `>u4`"),
        ([("a", object), ("b", "<f8")], "field `a` is a Python object, which no kernel can read"),
        ([("a", "<f8"), ("t", ">M8[s]")], "field `t` is `>M8"),
        (">U4", "a value that is `>U4`, in the byte order"),
        (object, "a value that is a Python object"),
    ],
)
@pytest.mark.skipif(sys.byteorder != "little", reason="the foreign byte order is big-endian")
def test_structures_that_a_kernel_would_misread(dtype, text):
    array = np.zeros((), dtype)
    for value in (array, array[()]) if array.dtype.names else (array,):
        with pytest.raises(TypeError, match=text) as caught:
            jit("pair")(value, bytes(16), gp.nullptr, **ONE)
        assert str(caught.value).startswith("pair() parameter `p` is `Pair` and got ")


def test_structures_with_text_and_padding():
    aligned = np.dtype([("a", "S4"), ("b", "<f8")], align=True)
    accepts(jit("pair"), np.zeros((), aligned), bytes(16), gp.nullptr, **ONE)
    # Numbers are converted whatever their byte order.
    accepts(jit("number"), np.array(1.0, ">f8"), **ONE)


@pytest.mark.parametrize("parameter", ["float* x", "void* x", "POINTER x"])
def test_numpy_arrays_are_sent_to_asarray(parameter):
    kernel = gp.jit(f"#define POINTER float*\n__global__ void k({parameter}) {{}}", func="k")
    message = (
        "array on the device, or `nullptr`, not `numpy.ndarray`; "
        "copy it there first, with `gp.asarray` or `gp.from_numpy`"
    )
    with pytest.raises(TypeError, match=message):
        kernel(np.zeros(3, np.float32), **ONE)
    with pytest.raises(TypeError) as caught:
        kernel([1.0], **ONE)
    assert "gp.asarray" not in str(caught.value)
    accepts(kernel, gp.from_numpy(np.zeros(3, np.float32)), **ONE)
    accepts(kernel, gp.asarray(np.zeros(3, np.float32)), **ONE)


def test_thousands_of_parameters():
    count = 2000
    names = [f"p{i}" for i in range(count)]
    declared = ", ".join(f"int {name}" for name in names)
    kernel = gp.jit(f"__global__ void k(int* x, {declared}) {{ *x = {names[-1]}; }}", func="k")
    accepts(kernel, gp.nullptr, *range(count), **ONE)
    with pytest.raises(TypeError, match="missing 1 required argument: 'p1999'"):
        kernel(gp.nullptr, *range(count - 1), **ONE)
    with pytest.raises(OverflowError, match="parameter `p1999` is `int`"):
        kernel(gp.nullptr, *range(count - 1), 2**31, **ONE)
    # The compiler names its own limit.
    declared = ", ".join(f"int p{i}" for i in range(9000))
    with pytest.raises(gp.CompileError, match="max 32764 bytes"):
        gp.jit(f"__global__ void k({declared}) {{}}", func="k").compile()


# Grid and block


def test_a_grid_is_chosen_where_that_is_safe(x):
    config = jit("scale").launch_config(x, 1.0, 1)
    assert repr(config) == "LaunchConfig(grid=(4, 1, 1), block=(256, 1, 1), shared=0)"
    assert config == jit("scale").launch_config(x, 1.0, 1)
    assert config != jit("scale").launch_config(x, 1.0, 1, block=32)
    assert jit("bounded").launch_config(x, 1).block == (64, 1, 1)
    assert jit("copy").launch_config(gp.zeros(3, device="cpu"), x).grid == (4, 1, 1)
    assert jit("scale").launch_config(gp.zeros(0, device="cpu"), 1.0, 0).grid == (0, 1, 1)
    for kernel, args in ((jit("shared_memory"), (x,)), (jit("number"), (1.0,))):
        with pytest.raises(TypeError, match="needs grid= and block="):
            kernel(*args)
        accepts(kernel, *args, grid=(2, 2), block=(8, 8), shared=1024)


def test_defaults_and_functions(x):
    seen = []

    def grid(arguments):
        seen.append(arguments)
        return -(-arguments["n"] // 128)

    kernel = jit("scale", block=128, grid=grid)
    assert kernel.launch_config(x, n=1000, factor=0.5).grid == (8, 1, 1)
    assert list(seen[0]) == ["x", "factor", "n"]
    assert seen[0]["x"] is x
    assert kernel.launch_config(x, 0.5, 1000, grid=(3, 4)).grid == (3, 4, 1)
    assert kernel.launch_config(x, 0.5, 1000, grid=lambda a: (a["n"], 2)).grid == (1000, 2, 1)
    assert kernel.launch_config(x, 0.5, 1000, block=(16, 2)).block == (16, 2, 1)
    with pytest.raises(ZeroDivisionError):
        kernel(x, 0.5, 1, grid=lambda _: 1 // 0)
    with pytest.raises(TypeError, match="grid takes an int"):
        kernel(x, 0.5, 1, grid=lambda _: None)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"grid": 0, "block": 1}, ValueError, "grid x is `0`; it takes 1 to 2147483647"),
        ({"grid": (1, -1), "block": 1}, ValueError, "grid y is `-1`"),
        ({"grid": (1, 1, 1, 1), "block": 1}, ValueError, "grid has 4 axes"),
        ({"grid": (), "block": 1}, ValueError, "grid has 0 axes"),
        ({"grid": 2**40, "block": 1}, ValueError, "grid x is `1099511627776`"),
        (
            {"grid": 2**31, "block": 1},
            ValueError,
            "grid x is `2147483648`; it takes 1 to 2147483647",
        ),
        ({"grid": 1, "block": 2048}, ValueError, "block x is `2048`; it takes 1 to 1024"),
        ({"grid": 1, "block": (64, 64)}, ValueError, "a block has at most 1024 threads, not 4096"),
        ({"grid": 1, "block": "most"}, ValueError, "`most`"),
        ({"block": 1025}, ValueError, "block x is `1025`"),
        ({"grid": {1, 2}, "block": 1}, TypeError, "grid takes an int .*not `set`"),
        ({"grid": 1, "block": {8: 1}}, TypeError, "block takes an int .*not `dict`"),
        ({"grid": b"ab", "block": 1}, TypeError, "grid takes an int .*not `bytes`"),
        ({"grid": lambda _: bytearray(b"a"), "block": 1}, TypeError, "not `bytearray`"),
        ({"grid": 1, "block": frozenset([1])}, TypeError, "block takes an int .* not `frozenset`"),
        ({"grid": 1, "block": memoryview(b"a")}, TypeError, "block takes an int .* `memoryview`"),
        ({"grid": 1.0, "block": 1}, TypeError, "grid takes an int"),
        ({"grid": 1, "block": "32 "}, ValueError, "`32 `"),
        ({"grid": "1", "block": 1}, TypeError, "grid takes an int"),
        ({"grid": 1, "block": 1, "shared": -1}, ValueError, "shared is `-1`; it takes 0 to"),
        ({"grid": 1, "block": 1, "shared": 2**99}, ValueError, "shared is `6338"),
        ({"grid": 1, "block": 1, "shared": 1.5}, TypeError, "shared takes an int, not `float`"),
        (
            {"grid": 1, "block": 1, "shared": 2**20},
            ValueError,
            "shared memory of a block is 1048576",
        ),
    ],
)
def test_wrong_grids_and_blocks(x, options, error, text):
    with pytest.raises(error, match=text):
        jit("scale")(x, 1.0, 1, **options)


def test_lengths_as_lists_and_numpy_numbers(x):
    for grid in ([2, 3], (np.int64(2), 3), np.array([2, 3])):
        assert jit("scale").launch_config(x, 1.0, 1, grid=grid, block=1).grid == (2, 3, 1)
    assert jit("scale").launch_config(x, 1.0, 1, grid=np.array(2), block=1).grid == (2, 1, 1)


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (2000, "block x is `2000`"),
        ((1, 1, 65), "block z is `65`"),
        ((64, 64), "1024 threads, not 4096"),
    ],
)
def test_defaults_that_no_device_allows(block, text):
    with pytest.raises(ValueError, match=text):
        jit("scale", block=block)
    with pytest.raises(ValueError, match=text):
        jit("scale").with_config(block=block)
    with pytest.raises(ValueError, match="grid y is `70000`; it takes 1 to 65535"):
        jit("scale", grid=(1, 70000))


def test_options_that_never_fit_are_refused_at_once():
    with pytest.raises(ValueError, match="block x is `2000`"):
        gp.jit(SOURCE, func="scale", block=2000)
    with pytest.raises(ValueError, match="`factor`, which is a number of `scale`"):
        gp.jit(SOURCE, func="scale", strided=("factor",))


def test_occupancy_needs_a_gpu(x):
    with pytest.raises(gp.UnsupportedError, match="occupancy.* needs a GPU"):
        jit("scale").launch_config(x, 1.0, 1, block="occupancy")
    accepts(jit("scale"), x, 1.0, 1, block="occupancy")


def test_a_stream(x):
    accepts(jit("scale"), x, 1.0, 1, stream=gp.Stream("cpu"))
    accepts(jit("scale").with_config(stream=gp.Stream("cpu")), x, 1.0, 1)
    with pytest.raises(TypeError):
        jit("scale")(x, 1.0, 1, stream=0)
