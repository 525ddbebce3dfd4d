"""Elementwise operations against NumPy."""

import array
import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import pygpukit as gp

ARITHMETIC = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
]  # fmt: skip
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]


def same(result, expected):
    """The same dtype, shape and values; NaN equals NaN, and zeros have signs."""
    got = result.to_numpy()
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)
    if expected.dtype.kind == "f":
        is_number = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(got[is_number]), np.signbit(expected[is_number]))


def operands(dtype, **options):
    shapes = hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=5, min_side=0)
    elements = hnp.from_dtype(np.dtype(dtype), **options)
    return shapes.flatmap(
        lambda drawn: st.tuples(
            *[hnp.arrays(dtype, shape, elements=elements) for shape in drawn.input_shapes]
        )
    )


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_operators_equal_numpy(device, dtype, data):
    x, y = data.draw(operands(dtype))
    a, b = gp.from_numpy(x, device=device), gp.from_numpy(y, device=device)
    with np.errstate(all="ignore"):
        for op in ARITHMETIC + COMPARISONS:
            same(op(a, b), op(x, y))
        if dtype != "bool":
            same(-a, -x)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_views_in_place_equal_numpy(device, data):
    """Overlapping views of one array, read and written in any direction."""
    length = data.draw(st.integers(1, 24))
    base = np.arange(length, dtype="float32")
    first = data.draw(st.slices(length))
    count = len(base[first])
    second = data.draw(st.slices(length).filter(lambda s: len(base[s]) in (1, count)))
    a = gp.from_numpy(base, device=device)
    expected = base.copy()
    expected[first] += expected[second]
    view = a[first]
    view += a[second]
    same(a, expected)
    # NumPy itself overtakes its own reads where the strides differ.
    expected[first] = expected[second].copy()
    a[first] = a[second]
    same(a, expected)


def test_integer_division_by_zero_gives_zero(device):
    x = gp.from_numpy(np.array([5, -5, 0], "int32"), device=device)
    zero = gp.zeros(3, "int32", device=device)
    assert (x // zero).tolist() == [0, 0, 0]
    assert (x % zero).tolist() == [0, 0, 0]
    smallest = gp.full(1, -(2**31), "int32", device=device)
    assert (smallest // -1).tolist() == [-(2**31)]
    assert (smallest % -1).tolist() == [0]


def test_power(device):
    x = np.array([-3, -1, 0, 1, 2, 7], "int64")
    a = gp.from_numpy(x, device=device)
    for exponent in (0, 1, 2, 5, 63):
        same(a**exponent, x**exponent)
    with pytest.raises(ValueError, match="negative"):
        a**-1
    y = np.array([0.0, 0.5, 1, 2, -2], "float64")
    b = gp.from_numpy(y, device=device)
    np.testing.assert_allclose((b**3).to_numpy(), y**3, rtol=1e-15)
    np.testing.assert_allclose((2.0**b).to_numpy(), 2.0**y, rtol=1e-15)


def test_negative_exponents_of_integers(device):
    for name in ("bool", "int8", "int64", "uint8", "uint64"):
        x = gp.ones(2, name, device=device)
        for exponent in (np.int8(-1), np.array(-3, "int16")):
            if name == "uint64":  # float64, by promotion
                assert (x**exponent).tolist() == [1.0, 1.0]
                continue
            with pytest.raises(ValueError, match=f"exponent `{int(exponent)}`"):
                x**exponent
            with pytest.raises(ValueError, match=f"exponent `{int(exponent)}`"):
                gp.power(x, exponent)
    with pytest.raises(ValueError, match="exponent `-1`"):
        gp.power(2, np.int64(-1))
    with pytest.raises(ValueError, match="exponent `-1`"):
        gp.power(np.int32(2), -1)
    assert (gp.full(1, 2.0, device=device) ** np.int64(-1)).tolist() == [0.5]
    # Of arrays: the exact result rounded towards zero.
    base = gp.asarray([-2, -1, -1, 1, 2, 0], "int32", device=device)
    exponent = gp.asarray([-1, -1, -2, -3, -1, -1], "int32", device=device)
    assert (base**exponent).tolist() == [0, -1, 1, 1, 0, 0]
    assert (2**exponent).tolist() == [0] * 6


@pytest.mark.parametrize("name", ["complex64", "complex128"])
def test_complex_powers_are_as_exact_as_documented(device, name):
    # By squaring exactly: whole numbers that double precision holds.
    base = gp.asarray([1 + 2j, -3 + 1j], name, device=device)
    for exponent in (2, 5, 9):
        exact = [1 + 0j, 1 + 0j]
        for _ in range(exponent):
            exact = [a * b for a, b in zip(exact, (1 + 2j, -3 + 1j), strict=True)]
        assert (base**exponent).tolist() == exact
    # A root of unity, where the modulus does not hide what the angle lost.
    angle = 0.7
    turn = gp.asarray([complex(np.cos(angle), np.sin(angle))], "complex128", device=device)
    for exponent in (99, 100, 1000, 10**6):
        expected = complex(np.cos(angle * exponent), np.sin(angle * exponent))
        error = abs((turn**exponent).item() - expected)
        assert error <= 4 * exponent * 2.0**-52
    wide = gp.asarray([1.0000001 + 0.5j], name, device=device)
    for exponent in (100.5, -60.25):
        given, found = wide.item(), (wide**exponent).item()
        expected = complex(np.clongdouble(given) ** np.clongdouble(exponent))
        relative = abs(found - expected) / abs(expected)
        digits = 2.0**-23 if name == "complex64" else 4 * 101 * 2.0**-52
        assert relative <= digits


def test_complex(device):
    x = np.array([1 + 2j, -3 + 0.5j, 0, 2j], "complex128")
    y = np.array([2 - 1j, 1, 1 + 1j, -2j], "complex128")
    a, b = gp.from_numpy(x, device=device), gp.from_numpy(y, device=device)
    for op in (operator.add, operator.sub, operator.mul):
        same(op(a, b), op(x, y))
    np.testing.assert_allclose((a / b).to_numpy(), x / y, rtol=1e-15)
    np.testing.assert_allclose((a**2).to_numpy(), x**2, rtol=1e-14, atol=1e-14)
    same(a < b, x < y)
    with pytest.raises(TypeError, match="floor_divide"):
        a // b


def test_bool(device):
    x, y = np.array([True, True, False, False]), np.array([True, False, True, False])
    a, b = gp.from_numpy(x, device=device), gp.from_numpy(y, device=device)
    same(a + b, x + y)
    same(a * b, x * y)
    with pytest.raises(TypeError, match="subtract"):
        a - b
    with pytest.raises(TypeError, match="negative"):
        -a


def test_out(device):
    a, b = gp.ones(4, device=device), gp.full(4, 2, device=device)
    out = gp.empty(4, device=device)
    assert gp.add(a, b, out=out) is out
    assert out.tolist() == [3] * 4
    double = gp.empty(4, "float64", device=device)
    gp.multiply(a, b, out=double)
    assert double.tolist() == [2] * 4
    with pytest.raises(ValueError, match=r"\(5,\)"):
        gp.add(a, b, out=gp.empty(5, device=device))
    with pytest.raises(TypeError, match="int32"):
        gp.add(a, b, out=gp.empty(4, "int32", device=device))
    with pytest.raises(ValueError):
        gp.add(a, b, out=gp.empty((2, 4), device=device))
    assert gp.negative(a, out=out).tolist() == [-1] * 4


def test_names_of_numpy_and_short_ones_are_the_same():
    assert gp.sub is gp.subtract
    assert gp.mul is gp.multiply
    assert gp.div is gp.divide is gp.true_divide


@pytest.mark.parametrize("bad", [{"text"}, None, [1, 2], object(), np.ones(3)])
def test_operands_of_other_types_raise(device, bad):
    x = gp.ones(3, device=device)
    for op in ARITHMETIC:
        with pytest.raises(TypeError):
            op(x, bad)
        with pytest.raises(TypeError):
            op(bad, x)
    with pytest.raises(TypeError):
        x += bad
    with pytest.raises(TypeError):
        gp.add(x, bad)


def test_arrays_of_numpy_are_refused_with_a_hint(device):
    with pytest.raises(TypeError, match="asarray"):
        gp.ones(3, device=device) + np.ones(3)
    with pytest.raises(TypeError, match="asarray"):
        np.ones(3) * gp.ones(3, device=device)
    with pytest.raises(TypeError, match="asarray"):
        gp.ones((3, 3), device=device) @ np.ones((3, 3))
    with pytest.raises(TypeError, match="asarray"):
        np.ones((3, 3)) @ gp.ones((3, 3), device=device)
    with pytest.raises(TypeError, match="with `[*]`"):
        gp.ones((3, 3), device=device) @ 2


@pytest.mark.parametrize(
    "sequence", [[2], (2,), range(2), array.array("d", [2]), memoryview(b"a"), [], [[2], [3]]]
)
def test_sequences_are_refused_with_a_hint(device, sequence):
    x = gp.asarray([2], "int64", device=device)
    for op in [*ARITHMETIC, *COMPARISONS, operator.matmul]:
        for left, right in ((x, sequence), (sequence, x)):
            with pytest.raises(TypeError, match="asarray"):
                op(left, right)
    with pytest.raises(TypeError, match="asarray"):
        x += sequence
    assert x.tolist() == [2]
    # What holds no numbers is unequal as a whole, as Python has it.
    for other in (None, "text", object()):
        assert (x == other) is False
        assert (x != other) is True


def test_shapes_that_do_not_broadcast_raise(device):
    with pytest.raises(ValueError, match=r"\(3,\) and \(4,\)"):
        gp.ones(3, device=device) + gp.ones(4, device=device)


def test_strides_of_all_signs(device):
    x = np.arange(60, dtype="float32").reshape(3, 4, 5)
    a = gp.from_numpy(x, device=device)
    same(a[::-1, :, ::2] + a[:, ::-1, ::-2], x[::-1, :, ::2] + x[:, ::-1, ::-2])
    same(a.T + 1, x.T + 1)
    row = gp.from_numpy(x[0], device=device)
    same(a - row, x - x[0])
    same(row.T * row.T, x[0].T * x[0].T)
