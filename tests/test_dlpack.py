"""Memory shared with NumPy through DLPack, on the CPU device."""

import ctypes
import gc

import numpy as np
import pytest

import pygpukit as gp

NAMES = ["bool", "int8", "int64", "uint16", "float16", "float32", "float64", "complex64"]


@pytest.mark.parametrize("name", NAMES)
def test_numpy_shares_our_memory(name):
    x = gp.arange(6, device="cpu").astype(name).reshape(2, 3)
    shared = np.from_dlpack(x)
    assert shared.dtype == name
    np.testing.assert_array_equal(shared, x.to_numpy())
    x[...] = 0
    np.testing.assert_array_equal(shared, np.zeros((2, 3), name))
    shared[...] = 1
    assert x.tolist() == np.ones((2, 3), name).tolist()


@pytest.mark.parametrize("name", NAMES)
def test_we_share_numpys_memory(name):
    base = np.ones((4, 5), name)
    x = gp.from_dlpack(base, device="cpu")
    assert x.ptr == base.ctypes.data
    x[...] = 0
    assert not base.any()
    base[...] = 1
    assert x.tolist() == base.tolist()


def test_strided_views_both_ways():
    base = np.arange(24, dtype="float32").reshape(4, 6)
    for view in (base[::2, ::-1], base.T, base[::-1, 1:3], base[1]):
        x = gp.from_dlpack(view)
        np.testing.assert_array_equal(x.to_numpy(), view)
        np.testing.assert_array_equal(np.from_dlpack(x), view)
        x += 1
        np.testing.assert_array_equal(x.to_numpy(), view)
    zero_size = gp.from_dlpack(np.ones((0, 3)))
    assert np.from_dlpack(zero_size).shape == (0, 3)
    assert gp.from_dlpack(np.array(2.5)).item() == 2.5


def test_each_side_may_die_first():
    x = gp.arange(1000, device="cpu")
    shared = np.from_dlpack(x)
    del x
    gc.collect()
    again = gp.zeros(1000, device="cpu")
    assert shared[-1] == 999
    base = np.arange(1000.0)
    y = gp.from_dlpack(base)
    del base, again
    gc.collect()
    np.zeros(1000)
    assert y[-1].item() == 999


def test_read_only_memory_is_not_written():
    base = np.arange(3.0)
    base.flags.writeable = False
    try:
        x = gp.from_dlpack(base)
    except BufferError:
        pytest.fail("read-only memory can be read")
    assert (x + 1).tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="read-only"):
        x += 1
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    assert base.tolist() == [0, 1, 2]


def test_read_only_stays_read_only():
    base = np.arange(3.0)
    base.flags.writeable = False
    x = gp.from_dlpack(base)
    assert not np.from_dlpack(x).flags.writeable
    with pytest.raises(BufferError, match="read-only"):
        x.__dlpack__()
    with pytest.raises(ValueError, match="read-only"):
        gp.from_dlpack(x).fill(1)
    assert np.from_dlpack(gp.from_dlpack(np.arange(3.0))).flags.writeable


def test_copy_is_a_copy():
    x = gp.zeros(3, device="cpu")
    shared = np.from_dlpack(x, copy=True)
    shared[...] = 1
    assert x.tolist() == [0, 0, 0]
    base = np.zeros(3)
    y = gp.from_dlpack(base, copy=True)
    y += 1
    assert not base.any()


def test_arguments_of_the_protocol():
    x = gp.zeros(3, device="cpu")
    assert x.__dlpack_device__() == (1, 0)
    assert "dltensor_versioned" in repr(x.__dlpack__(max_version=(1, 0)))
    assert '"dltensor"' in repr(x.__dlpack__())
    assert '"dltensor"' in repr(x.__dlpack__(max_version=(0, 8)))
    with pytest.raises(ValueError, match="stream"):
        x.__dlpack__(stream=7)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="cuda:0"):
        gp.from_dlpack(np.ones(3), device="cuda:0")


def test_capsules_are_used_once():
    class Once:
        def __init__(self, capsule):
            self.capsule = capsule

        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **options):
            return self.capsule

    once = Once(gp.ones(3, device="cpu").__dlpack__())
    assert gp.from_dlpack(once).tolist() == [1, 1, 1]
    with pytest.raises(BufferError, match="unused"):
        gp.from_dlpack(once)
    for bad in (None, 3, "capsule"):
        with pytest.raises(BufferError):
            gp.from_dlpack(Once(bad))
    for bad in (None, 3, [1.0]):
        with pytest.raises(TypeError, match="__dlpack__"):
            gp.from_dlpack(bad)


class Tensor(ctypes.Structure):
    """DLManagedTensor, with nobody to tell when it is no longer used."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


def lying(tensor):
    """An object of the CPU device whose capsule holds `tensor`."""
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = (
        ctypes.py_object,
        (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
    )

    class Lies:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **options):
            return make(ctypes.addressof(tensor), b"dltensor", None)

    return Lies()


@pytest.mark.parametrize(("has_shape", "text"), [(True, "4 elements"), (False, "1 dimensions")])
def test_tensors_without_memory_or_shape_are_refused(has_shape, text):
    shape = (ctypes.c_int64 * 1)(4)
    where = ctypes.addressof(shape) if has_shape else None
    tensor = Tensor(None, 1, 0, 1, 2, 64, 1, where, None, 0, None, None)
    with pytest.raises(BufferError, match=text):
        gp.from_dlpack(lying(tensor))


def test_the_memory_is_where_the_object_says():
    shape, data = (ctypes.c_int64 * 1)(4), (ctypes.c_double * 4)(1, 2, 3, 4)

    def import_from(kind, ordinal):
        where = (ctypes.addressof(data), kind, ordinal)
        tensor = Tensor(*where, 1, 2, 64, 1, ctypes.addressof(shape), None, 0, None, None)
        return gp.from_dlpack(lying(tensor)).tolist()

    for kind in (1, 3):  # Memory of the host, pinned or not.
        assert import_from(kind, 0) == [1, 2, 3, 4]
    for kind in (2, 13):
        with pytest.raises(BufferError, match="memory of `cuda:1`.*said `cpu`"):
            import_from(kind, 1)
    with pytest.raises(BufferError, match="-1"):
        import_from(2, -1)
    with pytest.raises(BufferError, match="type 8"):
        import_from(8, 0)


def test_tensors_of_too_many_dimensions_are_refused():
    shape, data = (ctypes.c_int64 * 65)(*[1] * 65), (ctypes.c_double * 1)(7)
    for ndim in (64, 65, 2**31 - 1):
        where = (ctypes.addressof(data), 1, 0)
        tensor = Tensor(*where, ndim, 2, 64, 1, ctypes.addressof(shape), None, 0, None, None)
        if ndim == 64:
            assert gp.from_dlpack(lying(tensor)).ndim == 64
        else:
            with pytest.raises(BufferError, match=f"{ndim} dimensions.*at most 64"):
                gp.from_dlpack(lying(tensor))


def test_unused_capsules_free_their_memory():
    for _ in range(1000):
        gp.empty(1 << 20, device="cpu").__dlpack__()
        gp.empty(1 << 20, device="cpu").__dlpack__(max_version=(1, 0))


def test_types_without_counterpart_are_refused():
    with pytest.raises((BufferError, TypeError)):
        gp.from_dlpack(np.zeros(2, "longdouble"))


def test_no_cuda_array_interface_on_the_cpu():
    assert not hasattr(gp.ones(2, device="cpu"), "__cuda_array_interface__")
    with pytest.raises(gp.UnsupportedError):
        gp.Stream("cpu").__cuda_stream__()


def test_asarray_shares(device):
    base = np.ones(3)

    class Speaks:
        def __dlpack_device__(self):
            return base.__dlpack_device__()

        def __dlpack__(self, **options):
            return base.__dlpack__()

    if device == "cpu":
        x = gp.asarray(Speaks(), device=device)
        x += 1
        assert base.tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"shape": None}, TypeError, "."),
        ({"shape": (-1,)}, (OverflowError, TypeError, ValueError), "."),
        ({"data": (1,)}, (TypeError, ValueError), "."),
        ({"typestr": "<f3"}, TypeError, "."),
        ({"typestr": ">f4"}, TypeError, "no counterpart"),
        ({"strides": (4,)}, ValueError, "1 strides for 2 dimensions"),
        ({"strides": (4, 4, 4)}, ValueError, "3 strides for 2 dimensions"),
        ({"mask": object()}, TypeError, "mask"),
    ],
)
def test_broken_cuda_array_interfaces_are_refused_before_a_device_is_looked_for(
    change, error, words
):
    class Broken:
        __cuda_array_interface__ = {
            "shape": (2, 2),
            "data": (4096, False),
            "typestr": "<f4",
            "version": 3,
        } | change

    with pytest.raises(error, match=words):
        gp.asarray(Broken())
