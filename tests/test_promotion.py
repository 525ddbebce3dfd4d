"""Result dtypes: NumPy 2's, whatever NumPy is installed."""

import itertools
import operator

import numpy as np
import pytest

import pygpukit as gp

NAMES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip

OPERATORS = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "true_divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "power": operator.pow,
    "less": operator.lt,
    "equal": operator.eq,
}


@pytest.mark.parametrize("op", OPERATORS)
def test_arrays_promote_as_in_numpy(device, op):
    apply = OPERATORS[op]
    for left, right in itertools.product(NAMES, NAMES):
        x, y = np.ones(2, left), np.ones(2, right)
        a, b = gp.from_numpy(x, device=device), gp.from_numpy(y, device=device)
        try:
            expected = apply(x, y)
        except TypeError:
            with pytest.raises(TypeError):
                apply(a, b)
            continue
        result = apply(a, b)
        assert result.dtype == expected.dtype, (left, right)
        np.testing.assert_array_equal(result.to_numpy(), expected)


# What NumPy 2 gives; NumPy 1 looked at the values of scalars.
SCALARS = [
    ("float32", 0.5, "float32"),
    ("float16", 2, "float16"),
    ("float16", 1e30, "float16"),
    ("int8", 1, "int8"),
    ("int8", 0.5, "float64"),
    ("uint64", 1, "uint64"),
    ("bool", 1, "int64"),
    ("bool", 0.5, "float64"),
    ("bool", True, "bool"),
    ("int32", True, "int32"),
    ("float32", 1j, "complex64"),
    ("float64", 1j, "complex128"),
    ("int16", 1j, "complex128"),
    ("bfloat16", 2, "bfloat16"),
    ("bfloat16", 0.5, "bfloat16"),
    ("bfloat16", 1j, "complex64"),
]


@pytest.mark.parametrize(("name", "scalar", "expected"), SCALARS)
def test_python_scalars_are_weak(device, name, scalar, expected):
    x = gp.ones(3, name, device=device)
    assert (x + scalar).dtype == expected
    assert (scalar + x).dtype == expected


def test_numpy_scalars_are_strong(device):
    x = gp.ones(3, "float32", device=device)
    assert (x + np.float64(0.5)).dtype == "float64"
    assert (np.float64(0.5) + x).dtype == "float64"
    assert (x + np.float32(0.5)).dtype == "float32"
    assert (gp.ones(3, "int8", device=device) + np.int64(300)).tolist() == [301] * 3


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("float16", "float32"),
        ("float32", "float32"),
        ("float64", "float64"),
        ("int8", "bfloat16"),
        ("int64", "bfloat16"),
        ("uint32", "bfloat16"),
        ("bool", "bfloat16"),
        ("complex64", "complex64"),
        ("complex128", "complex128"),
    ],
)
def test_bfloat16_promotes(device, other, expected):
    x, y = gp.ones(2, "bfloat16", device=device), gp.ones(2, other, device=device)
    assert (x + y).dtype == (y + x).dtype == expected
    assert (x / y).dtype == expected


def test_integers_out_of_range_raise(device):
    x = gp.ones(3, "uint8", device=device)
    with pytest.raises(OverflowError, match=r"`300`.*`uint8`.*0\.\.=255"):
        x + 300
    with pytest.raises(OverflowError, match="`-1`"):
        x * -1
    with pytest.raises(OverflowError):
        x += 10**40
    assert x.tolist() == [1, 1, 1]


def test_comparisons_with_integers_out_of_range_are_answered(device):
    x = gp.arange(3, dtype="uint8", device=device)
    assert (x < 300).tolist() == [True] * 3
    assert (x == -1).tolist() == [False] * 3
    assert (x > -1).tolist() == [True] * 3


def test_in_place_forms_keep_the_dtype(device):
    x = gp.ones(3, "float32", device=device)
    x += gp.ones(3, "float64", device=device)
    assert x.dtype == "float32"
    assert x.tolist() == [2, 2, 2]
    y = gp.ones(3, "int32", device=device)
    with pytest.raises(TypeError, match="`true_divide`.*`float64`.*`int32`"):
        y /= 2
    with pytest.raises(TypeError):
        y += 0.5
    assert y.tolist() == [1, 1, 1]


def test_integers_too_long_to_print_are_refused_in_silence(device, capfd):
    x = gp.ones(3, "int32", device=device)
    for act in (lambda: x + 10**5000, lambda: x == 10**5000, lambda: gp.full(2, 10**5000)):
        with pytest.raises(OverflowError, match="16610 bits"):
            act()
    with pytest.raises(ValueError, match="bits"):
        gp.zeros(10**5000, device=device)
    assert capfd.readouterr().err == ""
