"""Arrays shared with PyTorch and CuPy on one GPU: no copies, right order, right lifetimes."""

from __future__ import annotations

import gc
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import pygpukit as gp

pytestmark = [pytest.mark.gpu, pytest.mark.filterwarnings("default")]

COUNT = 1 << 20
# Long enough that whatever does not wait is certain to come too early: about 0.2 s.
CYCLES = 400_000_000

SCALE = r"""
extern "C" __global__ void scale(float* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
"""


@pytest.fixture(scope="module")
def torch() -> ModuleType:
    """PyTorch: where there is a GPU to test, its absence is a failure."""
    import torch

    torch.zeros(1, device="cuda")
    return torch


@pytest.fixture(scope="module")
def cupy() -> ModuleType:
    """CuPy, likewise."""
    import cupy

    return cupy


@pytest.fixture(autouse=True)
def on_the_gpu():
    """Everything here is about the first GPU."""
    with gp.Device("cuda:0"):
        yield
        gc.collect()
        gp.Device("cuda:0").synchronize()


def slow_work() -> gp.GPUArray:
    """Keeps our current stream busy for a while, and returns what it writes."""
    a = gp.ones((4096, 4096))
    out = gp.empty((4096, 4096))
    for _ in range(20):
        gp.matmul(a, a, out=out)
    return out


NAMES = [
    "bool", "int8", "int16", "int32", "int64", "uint8",
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_torch_both_ways(torch, name):
    x = gp.arange(6).reshape(2, 3).astype(name)
    tensor = torch.from_dlpack(x)
    assert tensor.data_ptr() == x.ptr
    assert str(tensor.dtype) == f"torch.{name}"
    assert tensor.stride() == (3, 1)
    back = gp.from_dlpack(tensor)
    assert back.ptr == x.ptr
    assert back.dtype == name
    tensor.zero_()
    torch.cuda.synchronize()
    assert not x.astype("float32").to_numpy().any()


@pytest.mark.parametrize("name", [name for name in NAMES if name != "bfloat16"])
def test_cupy_both_ways(cupy, name):
    x = gp.arange(6).reshape(2, 3).astype(name)
    for theirs in (cupy.from_dlpack(x), cupy.asarray(x)):
        assert theirs.data.ptr == x.ptr
        np.testing.assert_array_equal(theirs.get(), x.to_numpy())
    back = gp.from_dlpack(cupy.from_dlpack(x))
    assert back.ptr == x.ptr
    assert back.dtype == name


def test_strided_views_keep_their_strides(torch, cupy):
    x = gp.arange(24).reshape(4, 6)[::2, 1:5].T
    expected = x.to_numpy()
    np.testing.assert_array_equal(torch.from_dlpack(x).cpu().numpy(), expected)
    np.testing.assert_array_equal(cupy.asarray(x).get(), expected)
    tensor = torch.arange(24.0, device="cuda").reshape(4, 6)[1:, ::2].T
    np.testing.assert_array_equal(gp.asarray(tensor).to_numpy(), tensor.cpu().numpy())


def test_the_cuda_array_interface_alone_is_enough(cupy):
    theirs = cupy.arange(12, dtype=cupy.float32).reshape(3, 4)
    only = SimpleNamespace(__cuda_array_interface__=theirs.__cuda_array_interface__, keep=theirs)
    x = gp.asarray(only)
    assert x.ptr == theirs.data.ptr
    np.testing.assert_array_equal(x.to_numpy(), theirs.get())
    interface = x.__cuda_array_interface__
    assert interface["version"] == 3
    assert interface["data"] == (x.ptr, False)


def test_we_wait_for_their_writes(torch):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        tensor = torch.zeros(COUNT, device="cuda")
        torch.cuda._sleep(CYCLES)
        tensor.fill_(5)
        x = gp.from_dlpack(tensor)
    assert (x.to_numpy() == 5).all()


def test_they_wait_for_our_writes(torch):
    out = slow_work()
    tensor = torch.from_dlpack(out)
    assert float(tensor.sum()) == 4096.0**3


def test_our_memory_is_not_used_again_while_they_read_it(torch):
    """A consumer's deleter comes while its kernels still run: reuse waits for its stream."""
    x = gp.full(COUNT, 3.0)
    address = x.ptr
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        tensor = torch.from_dlpack(x)
        result = torch.empty(COUNT, device="cuda")
        torch.cuda._sleep(CYCLES)
        result.copy_(tensor)
    del tensor, x
    gc.collect()
    again = gp.full(COUNT, 7.0)
    assert again.ptr == address, "the block was not used again, so this shows nothing"
    assert not stream.query(), "the slow kernel is over already, so this shows nothing"
    stream.synchronize()
    assert bool((result == 3).all())
    assert (again.to_numpy() == 7).all()


def test_their_memory_is_kept_until_our_work_is_done(torch):
    tensor = torch.full((COUNT,), 3.0, device="cuda")
    torch.cuda.synchronize()
    x = gp.from_dlpack(tensor)
    busy = slow_work()
    result = x + 0
    del tensor, x
    gc.collect()
    other = [torch.full((COUNT,), 9.0, device="cuda") for _ in range(4)]
    torch.cuda.synchronize()
    assert (result.to_numpy() == 3).all()
    assert all(float(tensor[0]) == 9.0 for tensor in other)
    del busy


@pytest.mark.parametrize("ours_first", [True, False])
def test_either_side_may_die_first(torch, ours_first):
    x = gp.full(COUNT, 2.0)
    tensor = torch.from_dlpack(x)
    torch.cuda.synchronize()
    if ours_first:
        del x
        gc.collect()
        scratch = gp.full(COUNT, 8.0)
        assert scratch.ptr != tensor.data_ptr()
        assert bool((tensor == 2).all())
    else:
        del tensor
        gc.collect()
        assert (x.to_numpy() == 2).all()


def test_our_stream_in_their_hands(torch, cupy):
    stream = gp.Stream("cuda:0")
    version, handle = stream.__cuda_stream__()
    assert (version, handle) == (0, stream.handle)
    assert handle != 0
    with stream, torch.cuda.stream(torch.cuda.ExternalStream(handle)):
        x = gp.zeros(COUNT)
        tensor = torch.from_dlpack(x)
        tensor += 1
        y = x + 1
    with cupy.cuda.ExternalStream(handle):
        theirs = cupy.from_dlpack(y)
        theirs *= 2
    stream.synchronize()
    assert (y.to_numpy() == 4).all()


def test_a_kernel_takes_their_arrays(torch, cupy):
    kernel = gp.jit(SCALE, func="scale")
    tensor = torch.ones(COUNT, device="cuda")
    array = cupy.ones(COUNT, dtype=cupy.float32)
    for theirs in (tensor, array):
        kernel(theirs, 3.0, COUNT)
        assert float(theirs.sum()) == 3.0 * COUNT


SLOW = """
extern "C" __global__ void slow(float* x, int n) {
    const long long start = clock64();
    while (clock64() - start < 100000000LL) {}
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1;
}
"""


def test_they_wait_for_our_kernels(torch, cupy):
    kernel = gp.jit(SLOW, func="slow")
    for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            tensor = torch.zeros(COUNT, device="cuda")
            kernel(tensor, COUNT)
            total = tensor.sum()
            del tensor
            assert total.item() == COUNT
    for stream in (cupy.cuda.get_current_stream(), cupy.cuda.Stream(non_blocking=True)):
        with stream:
            array = cupy.zeros(COUNT, dtype=cupy.float32)
            kernel(array, COUNT)
            assert float(array.sum()) == COUNT


def test_other_devices_are_refused(torch):
    with pytest.raises((BufferError, ValueError)):
        gp.from_dlpack(torch.zeros(3), device="cuda:0")
    x = gp.zeros(3)
    with pytest.raises(TypeError, match="to_numpy"):
        np.asarray(x)
