"""Making arrays, their attributes, and the way to and from NumPy."""

import array
import copy
import gc
import pickle
import weakref

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import pygpukit as gp

NAMES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip


@pytest.mark.parametrize("make", [gp.zeros, gp.ones, gp.empty])
def test_creation(device, make):
    x = make((2, 3), device=device)
    assert x.shape == (2, 3)
    assert x.dtype == gp.float32
    assert x.device.name == device
    assert (x.size, x.ndim, x.nbytes, x.itemsize, x.strides) == (6, 2, 24, 4, (12, 4))
    assert make(np.int64(4), device=device).shape == (4,)
    assert make([np.int32(2), 1], dtype=np.float16, device=device).dtype == "float16"


def test_values(device):
    assert gp.zeros(2, "int8", device=device).tolist() == [0, 0]
    assert gp.ones(2, "bool", device=device).tolist() == [True, True]
    assert gp.full((2,), 2.5, device=device).tolist() == [2.5, 2.5]
    assert gp.full((), 7, "uint8", device=device).item() == 7
    assert gp.full(2, 1 + 2j, "complex64", device=device).tolist() == [1 + 2j] * 2


@pytest.mark.parametrize(
    "arguments",
    [(5,), (0,), (2, 7), (7, 2), (0, 1, 0.25), (5, 0, -2), (0, 1, 0.1), (-3,), (1.5, 4)],
)
def test_arange(device, arguments):
    expected = np.arange(*arguments, dtype="float64")
    got = gp.arange(*arguments, dtype="float64", device=device).to_numpy()
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-15)
    assert gp.arange(*arguments, device=device).dtype == "float32"


@pytest.mark.parametrize("name", NAMES)
def test_round_trip(device, name):
    rng = np.random.default_rng(7)
    x = rng.integers(0, 100, (5, 7)).astype(name)
    a = gp.from_numpy(x, device=device)
    assert a.dtype == name
    back = a.to_numpy()
    assert back.dtype == x.dtype
    np.testing.assert_array_equal(back, x)


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_any_numpy_array_round_trips(device, data):
    dtype = data.draw(st.sampled_from(NAMES))
    x = data.draw(hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0)))
    if x.ndim:
        x = x[data.draw(hnp.basic_indices(x.shape))]
    if data.draw(st.booleans()):
        x = np.asarray(x).astype(x.dtype.newbyteorder())
    got = gp.from_numpy(np.asarray(x), device=device).to_numpy()
    assert got.dtype.isnative
    np.testing.assert_array_equal(got, x)


def test_from_numpy_copies(device):
    x = np.arange(4.0)
    a = gp.from_numpy(x, device=device)
    x[:] = -1
    assert a.tolist() == [0, 1, 2, 3]
    b = a.to_numpy()
    b[:] = -2
    assert a.tolist() == [0, 1, 2, 3]


def test_from_numpy_refuses_what_has_no_counterpart(device):
    for bad in (
        np.array(["text"]),
        np.array([object()]),
        np.zeros(2, [("a", "f4")]),
        np.array([1], "datetime64[s]"),
        np.zeros(1, "longdouble") if np.longdouble != np.float64 else np.array([None]),
    ):
        with pytest.raises(TypeError, match="dtype"):
            gp.from_numpy(bad, device=device)
    for bad in ([1, 2], 3, None, "text"):
        with pytest.raises(TypeError, match="from_numpy"):
            gp.from_numpy(bad, device=device)
    with pytest.raises(TypeError, match="mask"):
        gp.from_numpy(np.ma.array([1.0, 2.0], mask=[0, 1]), device=device)


def test_asarray(device):
    x = gp.ones(3, device=device)
    assert gp.asarray(x) is x
    assert gp.asarray(x, "float32") is x
    assert gp.asarray(x, "float16").tolist() == [1, 1, 1]
    assert gp.asarray(x, "float16").dtype == "float16"
    assert gp.asarray(x, dtype="float64").dtype == "float64"
    assert gp.asarray([1.5, 2], device=device).dtype == "float32"
    assert gp.asarray([1, 2], device=device).dtype == "int64"
    assert gp.asarray(2.5, device=device).shape == ()
    assert gp.asarray([[True], [False]], device=device).dtype == "bool"
    assert gp.asarray(np.ones(2), device=device).dtype == "float64"
    assert gp.asarray((1, 2j), device=device).dtype == "complex64"
    assert gp.asarray([], device=device).shape == (0,)
    with pytest.raises((TypeError, ValueError)):
        gp.asarray([[1, 2], [3]], device=device)
    with pytest.raises(TypeError):
        gp.asarray(object(), device=device)


def test_bfloat16(device):
    x = np.array([1.0, 3.14159, -1e30, np.inf, np.nan], "float32")
    a = gp.from_numpy(x, device=device).astype("bfloat16")
    got = a.to_numpy()
    assert got.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(got.astype("float32"), x.astype(ml_dtypes.bfloat16).astype("f4"))
    assert gp.from_numpy(got, device=device).dtype == gp.bfloat16
    assert gp.DType(ml_dtypes.bfloat16) == gp.bfloat16


def test_to_numpy_out(device):
    a = gp.arange(6, device=device).reshape(2, 3)
    out = np.empty((2, 3), "float32")
    assert a.to_numpy(out=out) is out
    np.testing.assert_array_equal(out, [[0, 1, 2], [3, 4, 5]])
    wide = np.zeros((2, 6), "float32")
    a.to_numpy(out=wide[:, ::2])
    np.testing.assert_array_equal(wide[:, ::2], out)
    np.testing.assert_array_equal(wide[:, 1::2], 0)
    swapped = np.empty((2, 3), ">f4")
    a.to_numpy(out=swapped)
    np.testing.assert_array_equal(swapped, out)
    with pytest.raises(ValueError, match="shape"):
        a.to_numpy(out=np.empty(6, "float32"))
    with pytest.raises(TypeError, match="float64"):
        a.to_numpy(out=np.empty((2, 3)))
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        a.to_numpy(out=out)


@pytest.mark.parametrize("name", NAMES)
def test_astype(device, name):
    x = np.array([0, 1, 2, 100, 0.75], "float64")
    np.testing.assert_array_equal(
        gp.from_numpy(x, device=device).astype(name).to_numpy(), x.astype(name)
    )


# What x86 makes of them, and with it NumPy: see docs/arrays.md.
FAR = [float("nan"), float("inf"), -float("inf"), 1e30, -1e30, 2.0**63, 2.0**31, 300.0, -5.9]
CASTS = {
    "int8": [0, 0, 0, 0, 0, 0, 0, 44, -5],
    "uint16": [0, 0, 0, 0, 0, 0, 0, 300, 65531],
    "int32": [-(2**31)] * 7 + [300, -5],
    "uint32": [0, 0, 0, 0, 0, 0, 2**31, 300, 2**32 - 5],
    "int64": [-(2**63)] * 6 + [2**31, 300, -5],
    "uint64": [2**63, 0, 2**63, 0, 2**63, 2**63, 2**31, 300, 2**64 - 5],
    "bool": [True] * 9,
}


@pytest.mark.parametrize("source", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("name", CASTS)
def test_floats_that_do_not_fit_become_what_is_documented(device, source, name):
    for copies in (1, 100):  # The rest of a vector, and whole ones.
        x = gp.asarray(FAR * copies, source, device=device)
        assert x.astype(name).tolist() == CASTS[name] * copies


def test_item_and_numbers(device):
    assert gp.full((), 2.5, device=device).item() == 2.5
    assert type(gp.full((1, 1), 3, "int64", device=device).item()) is int
    assert type(gp.ones(1, "bool", device=device).item()) is bool
    assert gp.full(1, 2**64 - 1, "uint64", device=device).item() == 2**64 - 1
    assert gp.full(1, 1 - 2j, "complex128", device=device).item() == 1 - 2j
    x = gp.full((), 3, "int32", device=device)
    assert (int(x), float(x), complex(x), bool(x), [0, 1, 2, 9][x]) == (3, 3.0, 3 + 0j, True, 9)
    with pytest.raises(ValueError, match="2"):
        gp.ones(2, device=device).item()
    with pytest.raises(ValueError, match="ambiguous"):
        bool(gp.ones(2, device=device))
    with pytest.raises(TypeError):
        [1, 2][gp.ones((), device=device)]
    for shape in ((1,), (1, 1), (2,)):
        with pytest.raises(TypeError, match=rf"0-d.* {len(shape)} dimensions"):
            [1, 2][gp.ones(shape, "int32", device=device)]


def test_iteration_and_len(device):
    x = gp.arange(6, device=device).reshape(3, 2)
    assert len(x) == 3
    assert [row.tolist() for row in x] == [[0, 1], [2, 3], [4, 5]]
    iterator = iter(x)
    for _ in range(5):
        next(iterator, None)
    assert next(iterator, "end") == "end"
    with pytest.raises(TypeError, match="0-d"):
        len(gp.ones((), device=device))
    with pytest.raises(TypeError, match="0-d"):
        iter(gp.ones((), device=device))


def test_reshape(device):
    x = gp.arange(12, device=device)
    assert x.reshape(3, 4).shape == x.reshape((3, 4)).shape == x.reshape([3, -1]).shape == (3, 4)
    x.reshape(3, 4)[1, 2] = 100
    assert x[6].item() == 100
    expected = x.to_numpy().reshape(3, 4).T.reshape(2, 6)
    np.testing.assert_array_equal(x.reshape(3, 4).T.reshape(2, 6).to_numpy(), expected)
    for bad in ((5,), (-1, -1), (13,), (-2, 6), (0, -1)):
        with pytest.raises(ValueError):
            x.reshape(bad)
    with pytest.raises(TypeError):
        x.reshape("12")
    with pytest.raises(TypeError):
        x.reshape(2.5, 2)


def test_zero_dimensions_and_zero_size(device):
    scalar = gp.full((), 2, device=device)
    assert (scalar * 3).item() == 6
    assert (scalar + gp.ones(3, device=device)).tolist() == [3, 3, 3]
    scalar += 1
    assert scalar.item() == 3
    for shape in ((0,), (3, 0), (0, 5, 2)):
        empty = gp.ones(shape, device=device)
        assert empty.ptr == 0
        assert (empty + 1).shape == shape
        assert empty.to_numpy().shape == shape
        assert empty.copy().astype("int8").T.shape == shape[::-1]
        empty += empty
        empty[...] = 4
    assert (gp.ones((0, 3), device=device) + gp.ones((1, 3), device=device)).shape == (0, 3)


def test_assignment(device):
    x = gp.zeros((3, 4), device=device)
    x[...] = 1
    x[1] = gp.arange(4, device=device)
    x[:, 0] = np.array([7, 8, 9])
    x[2, 3] = np.float64(0.5)
    np.testing.assert_array_equal(x.to_numpy(), [[7, 1, 1, 1], [8, 1, 2, 3], [9, 1, 1, 0.5]])
    x.fill(5)
    assert x.tolist() == [[5] * 4] * 3
    with pytest.raises(ValueError, match="broadcast"):
        x[0] = gp.ones(3, device=device)
    with pytest.raises(TypeError):
        x[0] = "text"
    y = gp.zeros(3, "uint8", device=device)
    with pytest.raises(OverflowError, match="256"):
        y[0] = 256
    with pytest.raises(IndexError, match="3"):
        y[3] = 0
    assert y.tolist() == [0, 0, 0]


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_basic_indexing_equals_numpy(device, data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5))
    x = np.arange(np.prod(shape), dtype="int32").reshape(shape)
    index = data.draw(hnp.basic_indices(shape, allow_newaxis=True))
    a = gp.from_numpy(x, device=device)
    np.testing.assert_array_equal(a[index].to_numpy(), x[index])
    assert a[index].shape == np.asarray(x[index]).shape


def test_indices_that_do_not_exist_raise(device):
    x = gp.zeros((2, 3), device=device)
    for bad in (2, -3, (0, 3), (0, 0, 0), (..., ...)):
        with pytest.raises(IndexError):
            x[bad]
    for bad in (1.0, "a", True, [0, 1], np.array([0]), (0, True)):
        with pytest.raises((TypeError, IndexError)):
            x[bad]
    with pytest.raises(ValueError, match="zero"):
        x[::0]
    for far in (2**70, -(2**70), 10**5000):
        for index in (far, (0, far), (..., far)):
            with pytest.raises(IndexError, match=f"{far.bit_length()} bits"):
                x[index]
    assert x[10**30 :].shape == (0, 3)
    assert x[: -(10**30)].shape == (0, 3)
    assert x[0 : 10**18 : 10**18].shape == (1, 3)


def test_views_share_and_outlive(device):
    x = gp.arange(10, device=device)
    view = x[2:8:2]
    view += 100
    assert x.tolist() == [0, 1, 102, 3, 104, 5, 106, 7, 8, 9]
    del x
    gc.collect()
    assert view.tolist() == [102, 104, 106]


def test_repr(device):
    assert repr(gp.ones(3, device=device)) == (
        f"GPUArray([1., 1., 1.], dtype=float32, device='{device}')"
    )
    assert "shape=(0, 3)" in repr(gp.ones((0, 3), device=device))
    large = repr(gp.arange(10**6, device=device).reshape(1000, 1000))
    assert "..." in large
    assert len(large) < 1000
    assert "9.99999e+05" in large
    assert "1.5" in repr(gp.full(2, 1.5, "bfloat16", device=device))
    assert repr(gp.ones((2, 1001), "int8", device=device)).count("...") == 2


def test_copies_are_apart(device):
    x = gp.ones(3, device=device)
    for other in (x.copy(), copy.copy(x), copy.deepcopy(x), +x, pickle.loads(pickle.dumps(x))):
        other += 1
        assert other.tolist() == [2, 2, 2]
    assert x.tolist() == [1, 1, 1]


def test_weak_references_and_no_hash(device):
    x = gp.ones(3, device=device)
    reference = weakref.ref(x)
    with pytest.raises(TypeError, match="hash"):
        hash(x)
    del x
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize("make", [gp.zeros, gp.ones, gp.empty])
def test_hostile_creation(device, make):
    for bad in (-1, (2, -1), [3, -5]):
        with pytest.raises(ValueError, match="negative"):
            make(bad, device=device)
    for bad in (
        1.5, "3", None, (1, 2.5), object(), {"a": 1}, {3: 4}, {3, 4}, frozenset({3}), b"ab",
        bytearray(b"ab"), iter([2]), {3: 4}.keys(), [[2]], np.array([2.0]), gp.ones(2, "int8"),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="shape"):
            make(bad, device=device)
    for good in ((2, 3), [2, 3], range(2, 4), np.array([2, 3]), array.array("q", [2, 3])):
        assert make(good, device=device).shape == (2, 3)
    for bad in ("f99", "text", object(), "datetime64[s]", "\ud800", "float32\udfff"):
        with pytest.raises(TypeError, match="dtype"):
            make(3, bad, device=device)
    for bad in (2**62, (2**40, 2**40), 2**100):
        with pytest.raises((ValueError, MemoryError)):
            make(bad, device=device)
    with pytest.raises(TypeError):
        make(3, device=3.5)
    with pytest.raises(ValueError, match="tpu"):
        make(3, device="tpu")
    with pytest.raises(ValueError, match=r"\\ud800.*does not name a device"):
        make(3, device="\ud800")


def test_too_many_dimensions_are_refused_at_creation(device):
    most = gp.ones((1,) * 64, device=device)
    assert most.to_numpy().ndim == 64
    assert most[0][None].ndim == 64
    many = (1,) * 65
    for act in (
        lambda: gp.zeros(many, device=device),
        lambda: gp.full(many, 1, device=device),
        lambda: gp.zeros((0,) * 65, device=device),
        lambda: most.reshape(many),
        lambda: most.reshape(*many),
        lambda: most[0].reshape((1,) * 64 + (-1,)),
    ):
        with pytest.raises(ValueError, match="65 dimensions.*at most 64"):
            act()
    for act in (lambda: most[None], lambda: gp.zeros(1, device=device)[(None,) * 64]):
        with pytest.raises(IndexError, match="65 dimensions.*at most 64"):
            act()


class Refuses:
    def __index__(self):
        raise KeyError("on purpose")


class Misleads:
    def __index__(self):
        return "3"


def test_an_index_that_is_no_integer_is_refused(device):
    x = gp.zeros(3, device=device)
    for act in (
        lambda: gp.zeros(Misleads(), device=device),
        lambda: gp.zeros((2, Misleads()), device=device),
        lambda: x[Misleads()],
        lambda: x[Misleads() :],
        lambda: x.reshape(Misleads()),
    ):
        with pytest.raises(TypeError, match="__index__.*Misleads.*`str`"):
            act()


def test_lengths_of_arange_are_named_whole(device):
    for arguments, length in (
        ((2**64,), 2**64),
        ((2**70, 0, -1), 2**70),
        ((-(2**127), 2**127 - 1), 2**128 - 1),
        ((0, 2**100, 3), 2**100 // 3 + 1),
    ):
        with pytest.raises(ValueError, match=f"`{length}`.*memory"):
            gp.arange(*arguments, device=device)
    with pytest.raises(ValueError, match="1e300.*memory"):
        gp.arange(1e300, device=device)
    with pytest.raises(OverflowError, match="1329 bits"):
        gp.arange(10**400, device=device)
    with pytest.raises(TypeError, match="arange takes numbers, not `str`"):
        gp.arange("3", device=device)
    assert gp.arange(2**127 - 2, 2**127 - 1, device=device).shape == (1,)
    assert gp.arange(2**127 - 1, -(2**127), device=device).shape == (0,)


def test_what_an_index_raises_is_passed_on(device):
    x = gp.zeros(3, device=device)
    for act in (
        lambda: gp.zeros(Refuses(), device=device),
        lambda: gp.zeros((2, Refuses()), device=device),
        lambda: x[Refuses()],
        lambda: x[Refuses() :],
        lambda: x.reshape(Refuses()),
    ):
        with pytest.raises(KeyError, match="on purpose"):
            act()


@pytest.mark.parametrize("name", [*NAMES, "bfloat16"])
def test_dtypes_are_keys_like_numpys(name):
    ours, theirs = gp.DType(name), np.dtype(getattr(ml_dtypes, name, name))
    assert ours == theirs
    assert theirs == ours
    assert hash(ours) == hash(theirs)
    assert {ours: 1}[gp.DType(theirs)] == {ours: 1}[theirs] == {theirs: 1}[ours] == 1
    assert ours == name
    swapped = theirs.newbyteorder()
    if not swapped.isnative:
        assert ours != swapped
        assert swapped != ours
    assert ours != "\ud800"
    assert (ours == None) is False  # noqa: E711


def test_too_much_memory_says_the_numbers(device):
    with pytest.raises(MemoryError, match=r"asked for 100000000000000 bytes") as caught:
        gp.empty(10**14, "uint8", device=device)
    assert device in str(caught.value)
