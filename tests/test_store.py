"""Numbers of the host stored in arrays: whole, or not at all."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pygpukit as gp

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def _assign(value, dtype, device):
    x = gp.zeros((2, 2), dtype, device=device)
    x[1] = value
    return x[1, :1]


def _fill(value, dtype, device):
    x = gp.zeros((2, 2), dtype, device=device)
    x.fill(value)
    return x[0, :1]


# Every way to store one number: each returns an array of it.
STORES = {
    "assign": _assign,
    "fill": _fill,
    "full": lambda value, dtype, device: gp.full(1, value, dtype, device=device),
    "scalar": lambda value, dtype, device: gp.asarray(value, dtype, device=device).reshape(1),
    "sequence": lambda value, dtype, device: gp.asarray([value], dtype, device=device),
    "nested": lambda value, dtype, device: gp.asarray([[0], [value]], dtype, device=device)[1],
    "array": lambda value, dtype, device: gp.asarray(np.array([value]), dtype, device=device),
    "from_numpy": lambda value, dtype, device: gp.from_numpy(
        np.array([value]), dtype, device=device
    ),
    "array to view": lambda value, dtype, device: _assign(np.array([value]), dtype, device),
}
each_store = pytest.mark.parametrize("store", STORES.values(), ids=STORES.keys())


@each_store
@pytest.mark.parametrize("name", INTEGERS)
def test_integers_keep_their_value_or_raise(device, store, name):
    limits = np.iinfo(name)
    for value in (int(limits.min), int(limits.max), 1):
        for number in (value, np.asarray(value, name)[()]):
            assert store(number, name, device).tolist() == [value]
    for value in (int(limits.min) - 1, int(limits.max) + 1):
        is_array = store in (STORES["from_numpy"], STORES["array to view"])
        if is_array and np.array([value]).dtype == object:
            continue  # NumPy's own dtypes do not hold it either.
        with pytest.raises(OverflowError, match=rf"`{value}`.*`{name}`"):
            store(value, name, device)
        if -(2**63) <= value < 2**63:
            with pytest.raises(OverflowError, match=rf"`{value}`.*`{name}`"):
                store(np.int64(value), name, device)


@each_store
@pytest.mark.parametrize("value", [1.9, 1.0, float("nan"), float("inf"), 1e300])
def test_floats_do_not_become_integers(device, store, value):
    for number in (value, np.float64(value)):
        with pytest.raises(TypeError, match="float.*`int32`"):
            store(number, "int32", device)


@each_store
@pytest.mark.parametrize("name", ["int32", "float32", "bfloat16"])
def test_complex_numbers_do_not_become_real(device, store, name):
    for number in (1j, 1 + 0j, np.complex64(1)):
        with pytest.raises(TypeError, match=f"complex number.*`{name}`"):
            store(number, name, device)


@each_store
def test_what_loses_only_digits_is_stored(device, store):
    assert store(0.1, "float32", device).tolist() == [float(np.float32(0.1))]
    assert store(1e300, "float32", device).tolist() == [float("inf")]
    assert store(np.float64(2.5), "complex64", device).tolist() == [2.5]
    assert store(3, "float16", device).tolist() == [3]
    assert store(True, "uint8", device).tolist() == [1]
    for truth in (2, -0.5, 1j, float("nan"), np.float32(0.5)):
        assert store(truth, "bool", device).tolist() == [True]


@given(data=st.data())
def test_arrays_are_stored_whole_or_not_at_all(device, data):
    source, target = (data.draw(st.sampled_from(INTEGERS)) for _ in range(2))
    limits = np.iinfo(source)
    values = data.draw(st.lists(st.integers(int(limits.min), int(limits.max)), max_size=5))
    host = np.array(values, source)
    limits = np.iinfo(target)
    x = gp.zeros(len(values), target, device=device)
    if all(limits.min <= value <= limits.max for value in values):
        x[...] = host
        assert x.tolist() == gp.asarray(host, target, device=device).tolist() == values
    else:
        with pytest.raises(OverflowError, match=target):
            x[...] = host
        with pytest.raises(OverflowError, match=target):
            gp.asarray(host, target, device=device)
        assert x.tolist() == [0] * len(values)


def test_arrays_on_a_device_are_stored_by_their_dtype(device):
    floats = gp.full(2, 1.5, device=device)
    x = gp.zeros(2, "int32", device=device)
    for act in (
        lambda: x.__setitem__(..., floats),
        lambda: x.fill(floats[0]),
        lambda: gp.full(2, floats[0], "int32", device=device),
        lambda: gp.asarray(floats, "int32"),
        lambda: gp.asarray(x, "uint64"),
        lambda: floats.__setitem__(0, gp.full((), 1j, "complex64", device=device)),
    ):
        with pytest.raises(TypeError, match="`(float32|int32|complex64)`"):
            act()
    assert x.tolist() == [0, 0]
    x[...] = gp.full(2, 2**32 + 7, "int64", device=device)
    assert x.tolist() == [7, 7]
    floats[...] = x
    assert floats.tolist() == [7, 7]
    mask = gp.zeros(2, "bool", device=device)
    mask[...] = floats
    assert mask.tolist() == [True, True]
    assert gp.asarray(floats, "complex128").dtype == "complex128"


def test_bfloat16_is_a_float(device):
    host = np.array([1.5], ml_dtypes.bfloat16)
    with pytest.raises(TypeError, match="float.*`int8`"):
        gp.asarray(host, "int8", device=device)
    assert gp.asarray(host, "float16", device=device).tolist() == [1.5]


def test_sequences_of_large_integers(device):
    for values in (
        [2**63, 5],
        [2**64 - 1, 0],
        [[2**63], [True]],
        [np.uint64(2**63), 1],
        [0, np.uint64(1)],
    ):
        x = gp.asarray(values, device=device)
        assert (x.dtype, x.tolist()) == ("uint64", np.array(values, "uint64").tolist())
    for values in ([2**64 - 1, -1], [2**63, -1], [2**64], [-(2**63) - 1], [2**63, np.int64(-1)]):
        with pytest.raises(OverflowError, match="int64"):
            gp.asarray(values, device=device)
        for name in ("float64", "complex64"):
            x = gp.asarray(values, name, device=device)
            assert x.tolist() == np.array(values, "float64").astype(name).tolist()
    with pytest.raises(OverflowError, match="`-1`.*`uint64`"):
        gp.asarray([2**64 - 1, -1], "uint64", device=device)
    assert gp.asarray([2**63, 0.5], device=device).dtype == "float32"
    with pytest.raises(TypeError, match="object"):
        gp.asarray([1, None], device=device)


def test_empty_arrays_have_nothing_to_lose(device):
    assert gp.asarray(np.zeros((0, 3), "int64"), "int8", device=device).shape == (0, 3)
    # NumPy makes floats of empty sequences.
    for name in ("int32", "float16", "bool"):
        x = gp.asarray([[], []], name, device=device)
        assert (x.shape, x.dtype) == ((2, 0), name)
    x = gp.zeros(3, "int8", device=device)
    x[3:] = np.zeros(0)
