"""Arrays on a device, and the functions that make and combine them.

Operations return at once; reading (`to_numpy`, `item`, `repr`) waits. They run on the
current stream if it is of the arrays' device, else on the device's default stream.
Shapes broadcast, and dtypes promote, as in NumPy 2 (NEP 50); bfloat16 goes with float16
to float32 and with integers to bfloat16.
"""

from collections.abc import Iterator, Sequence
from types import EllipsisType
from typing import Any, SupportsIndex, TypeAlias, final

import numpy as np
import numpy.typing as npt
from typing_extensions import Self

from pygpukit.device import Device
from pygpukit.dtypes import DType

__all__ = [
    "GPUArray",
    "add",
    "arange",
    "asarray",
    "div",
    "divide",
    "empty",
    "equal",
    "floor_divide",
    "from_dlpack",
    "from_numpy",
    "full",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "matmul",
    "mul",
    "multiply",
    "negative",
    "not_equal",
    "ones",
    "power",
    "remainder",
    "sub",
    "subtract",
    "true_divide",
    "zeros",
]

_Number: TypeAlias = bool | int | float | complex | np.generic
_Operand: TypeAlias = GPUArray | _Number
_Shape: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
_DTypeLike: TypeAlias = DType | npt.DTypeLike
_DeviceLike: TypeAlias = Device | str | int
_IndexItem: TypeAlias = SupportsIndex | slice | EllipsisType | None

@final
class GPUArray:
    """An n-dimensional array on a device.

    Made by `zeros`, `from_numpy` and their kin. Slicing, `reshape` and `.T` give views
    of the same memory where they can.

    Operators take arrays of the same device and Python or NumPy numbers; arrays of
    other libraries are brought in by `asarray` or `from_dlpack`.

    Example:
        >>> import pygpukit as gp
        >>> x = gp.arange(6, device="cpu").reshape(2, 3)
        >>> (x * 2 + 1).tolist()
        [[1.0, 3.0, 5.0], [7.0, 9.0, 11.0]]
        >>> x[:, ::-1].shape
        (2, 3)
    """

    __array_ufunc__: None
    __hash__: None  # type: ignore[assignment]

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the dimensions."""
    @property
    def dtype(self) -> DType:
        """The element type."""
    @property
    def size(self) -> int:
        """_Number of elements."""
    @property
    def ndim(self) -> int:
        """_Number of dimensions."""
    @property
    def nbytes(self) -> int:
        """Bytes that the elements take, without gaps."""
    @property
    def itemsize(self) -> int:
        """Bytes an element takes."""
    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next along each dimension."""
    @property
    def device(self) -> Device:
        """The device whose memory this is."""
    @property
    def ptr(self) -> int:
        """The address of element (0, 0, ...); 0 for an array without elements."""
    @property
    def is_contiguous(self) -> bool:
        """True if the elements lie in C order without gaps."""
    @property
    def T(self) -> GPUArray:  # noqa: N802
        """The view with dimensions reversed."""
    def reshape(self, *shape: Any) -> GPUArray:
        """The same elements in another shape: a view if possible, else a copy.

        Args:
            shape: The lengths, one by one or as one sequence. One may be -1: it is
                inferred.

        Raises:
            ValueError: The number of elements differs.
        """
    def copy(self) -> GPUArray:
        """A C-contiguous copy."""
    def astype(self, dtype: _DTypeLike) -> GPUArray:
        """A copy in another dtype, converted as NumPy's `astype` does.

        Integers are cut to the lower bits, floats lose their fraction on the way to
        integers. NaN and floats that a signed integer of 64 bits (32 for int32 and
        narrower dtypes but uint32) cannot hold become the smallest of these, cut to the
        lower bits; as uint64, floats up to 2^64 keep their value.
        """
    def fill(self, value: _Operand) -> None:
        """Sets every element to `value`.

        Raises:
            OverflowError: An integer that the dtype cannot hold.
            TypeError: A float for an integer array, a complex number for a real one.
        """
    def item(self) -> Any:
        """The one element as a Python number.

        Raises:
            ValueError: The array does not have exactly one element.
        """
    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers."""
    def to_numpy(self, *, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        """Waits for the array and copies it to the host.

        The GIL is released, and Ctrl-C ends the wait.

        Args:
            out: Where to put it: an array of the same shape and dtype.

        Returns:
            `out`, or a new C-contiguous array. bfloat16 becomes that of `ml_dtypes`.

        Raises:
            ValueError: `out` has another shape or is read-only.
            TypeError: `out` has another dtype; or this is bfloat16 and `ml_dtypes` is
                not installed.
            DeviceFault: The work that was to write the array failed.
        """
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[GPUArray]: ...
    def __bool__(self) -> bool: ...
    def __int__(self) -> int: ...
    def __float__(self) -> float: ...
    def __complex__(self) -> complex: ...
    def __index__(self) -> int: ...
    def __getitem__(self, index: _IndexItem | tuple[_IndexItem, ...], /) -> GPUArray:
        """A view: integers, slices, `...` and `None`.

        Raises:
            IndexError: Out of bounds, or too many indices.
            TypeError: An index by array or bool.
        """
    def __setitem__(
        self,
        index: _IndexItem | tuple[_IndexItem, ...],
        value: _Operand | npt.NDArray[Any],
        /,
    ) -> None:
        """Stores a number, or an array that broadcasts to the view.

        Raises:
            IndexError: As for reading.
            ValueError: The array does not broadcast to the view.
            OverflowError: An integer that the dtype cannot hold.
            TypeError: A float for an integer dtype, a complex number for a real one;
                an array on a device of such a dtype, or of a signed one for an
                unsigned one. `astype` converts.
        """
    def __neg__(self) -> GPUArray: ...
    def __pos__(self) -> GPUArray: ...
    def __add__(self, other: _Operand, /) -> GPUArray: ...
    def __radd__(self, other: _Operand, /) -> GPUArray: ...
    def __sub__(self, other: _Operand, /) -> GPUArray: ...
    def __rsub__(self, other: _Operand, /) -> GPUArray: ...
    def __mul__(self, other: _Operand, /) -> GPUArray: ...
    def __rmul__(self, other: _Operand, /) -> GPUArray: ...
    def __truediv__(self, other: _Operand, /) -> GPUArray: ...
    def __rtruediv__(self, other: _Operand, /) -> GPUArray: ...
    def __floordiv__(self, other: _Operand, /) -> GPUArray: ...
    def __rfloordiv__(self, other: _Operand, /) -> GPUArray: ...
    def __mod__(self, other: _Operand, /) -> GPUArray: ...
    def __rmod__(self, other: _Operand, /) -> GPUArray: ...
    def __pow__(self, other: _Operand, modulus: None = None, /) -> GPUArray: ...
    def __rpow__(self, other: _Operand, modulus: None = None, /) -> GPUArray: ...
    def __matmul__(self, other: GPUArray, /) -> GPUArray: ...
    def __rmatmul__(self, other: GPUArray, /) -> GPUArray: ...
    def __iadd__(self, other: _Operand, /) -> Self: ...
    def __isub__(self, other: _Operand, /) -> Self: ...
    def __imul__(self, other: _Operand, /) -> Self: ...
    def __itruediv__(self, other: _Operand, /) -> Self: ...
    def __ifloordiv__(self, other: _Operand, /) -> Self: ...
    def __imod__(self, other: _Operand, /) -> Self: ...
    def __ipow__(self, other: _Operand, /) -> Self: ...  # type: ignore[misc]
    def __imatmul__(self, other: GPUArray, /) -> Self: ...
    def __eq__(self, other: _Operand, /) -> GPUArray: ...  # type: ignore[override]
    def __ne__(self, other: _Operand, /) -> GPUArray: ...  # type: ignore[override]
    def __lt__(self, other: _Operand, /) -> GPUArray: ...
    def __le__(self, other: _Operand, /) -> GPUArray: ...
    def __gt__(self, other: _Operand, /) -> GPUArray: ...
    def __ge__(self, other: _Operand, /) -> GPUArray: ...
    def __copy__(self) -> GPUArray: ...
    def __deepcopy__(self, memo: Any, /) -> GPUArray: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        """On the CPU device a copy for NumPy.

        Raises:
            TypeError: The array is on a GPU: copying it is said by `to_numpy()`.
        """
    def __dlpack_device__(self) -> tuple[int, int]:
        """(1, 0) for the CPU, (2, n) for the n-th CUDA device."""
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A DLPack capsule over the same memory.

        Args:
            stream: The consumer's stream, which is made to wait for our work: `None`
                or 1 is the legacy default stream, 2 the per-thread one, -1 none.
            max_version: The newest version the consumer reads.
            dl_device: Must be that of the array.
            copy: True makes a copy first.
        """
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The CUDA array interface, version 3. Absent on the CPU device."""

def zeros(
    shape: _Shape, dtype: _DTypeLike | None = None, *, device: _DeviceLike | None = None
) -> GPUArray:
    """An array of zeros.

    Args:
        shape: One length, or a sequence of lengths.
        dtype: float32 if left out.
        device: The current device if left out.

    Raises:
        ValueError: A negative length, more than 64 dimensions, or more bytes than
            memory can address.
        MemoryError: The device has too little memory; the message has the numbers.
        DeviceNotAvailable: The device cannot be used.
    """

def ones(
    shape: _Shape, dtype: _DTypeLike | None = None, *, device: _DeviceLike | None = None
) -> GPUArray:
    """An array of ones: see `zeros`."""

def empty(
    shape: _Shape, dtype: _DTypeLike | None = None, *, device: _DeviceLike | None = None
) -> GPUArray:
    """An array with undefined contents: see `zeros`."""

def full(
    shape: _Shape,
    fill_value: _Operand,
    dtype: _DTypeLike | None = None,
    *,
    device: _DeviceLike | None = None,
) -> GPUArray:
    """An array of one value: see `zeros`.

    Raises:
        OverflowError: An integer that the dtype cannot hold.
        TypeError: A float for an integer dtype, a complex number for a real one.
    """

def arange(
    start: _Number,
    stop: _Number | None = None,
    step: _Number | None = None,
    dtype: _DTypeLike | None = None,
    *,
    device: _DeviceLike | None = None,
) -> GPUArray:
    """Evenly spaced values from `start` (0 if there is only one number) up to `stop`.

    Args:
        start: The first value; if it is the only number, the end.
        stop: The end, not included.
        step: The difference of two neighbours, 1 if left out.
        dtype: float32 if left out, also for integers.
        device: The current device if left out.

    Raises:
        ValueError: A step of 0.
    """

def from_numpy(
    array: npt.NDArray[Any] | np.generic,
    dtype: _DTypeLike | None = None,
    *,
    device: _DeviceLike | None = None,
) -> GPUArray:
    """A copy of a NumPy array of any strides and byte order.

    Args:
        array: What to copy.
        dtype: That of `array` if left out. It must take every number: see `asarray`.
        device: The current device if left out.

    Raises:
        TypeError: Not a NumPy array, or a dtype without counterpart; floats for an
            integer dtype, complex numbers for a real one.
        OverflowError: An integer that the dtype cannot hold.
    """

def asarray(
    object: Any, dtype: _DTypeLike | None = None, *, device: _DeviceLike | None = None
) -> GPUArray:
    """An array of anything array-like.

    A `GPUArray` of the right dtype and device is returned as it is. Objects with
    `__dlpack__` or `__cuda_array_interface__` are shared, not copied. NumPy arrays,
    numbers and nested sequences are copied; Python floats become float32.

    Args:
        object: What to convert.
        dtype: That of `object` if left out. Nothing is lost on the way to it but the
            last digits of floats; `astype` is the conversion that may lose more.
        device: The current device, or where the memory is, if left out.

    Raises:
        OverflowError: An integer that the dtype cannot hold, or integers that no
            integer dtype holds together.
        TypeError: Nothing of numbers; floats for an integer dtype, complex numbers for
            a real one; an array on a device of such a dtype, or of a signed one for an
            unsigned one.
    """

def from_dlpack(
    object: Any, /, *, device: _DeviceLike | None = None, copy: bool | None = None
) -> GPUArray:
    """An array over the memory of an object of another library.

    Args:
        object: Has `__dlpack__` and `__dlpack_device__`.
        device: Must be where the memory is.
        copy: True copies; otherwise the memory is shared.

    Raises:
        TypeError: The object does not speak DLPack.
        BufferError: Another device, or a type without counterpart.
    """

def add(a: _Operand, b: _Operand, /, *, out: GPUArray | None = None) -> GPUArray:
    """`a + b`, element by element.

    Args:
        a: An array or a number.
        b: An array of the same device, or a number. The shapes broadcast.
        out: Where to put the result: an array of the broadcast shape, into whose dtype
            the result can be cast without changing its kind. It may overlap the
            operands.

    Returns:
        `out`, or a new array.

    Raises:
        ValueError: The shapes do not fit, or the arrays are on different devices.
        TypeError: The dtypes do not have the operation, or `out` is of a lesser kind.
        OverflowError: A Python integer that the other operand's dtype cannot hold.
    """

def subtract(a: _Operand, b: _Operand, /, *, out: GPUArray | None = None) -> GPUArray:
    """`a - b`, element by element: see `add`."""

def multiply(a: _Operand, b: _Operand, /, *, out: GPUArray | None = None) -> GPUArray:
    """`a * b`, element by element: see `add`."""

def divide(a: _Operand, b: _Operand, /, *, out: GPUArray | None = None) -> GPUArray:
    """`a / b`, element by element: see `add`. Integers give float64."""

def floor_divide(a: _Operand, b: _Operand, /, *, out: GPUArray | None = None) -> GPUArray:
    """`a // b`, element by element: see `add`.

    Rounds towards minus infinity; integer division by zero gives 0.
    """

def remainder(a: _Operand, b: _Operand, /, *, out: GPUArray | None = None) -> GPUArray:
    """`a % b`, element by element: see `add`.

    Has the sign of `b`; integer division by zero gives 0.
    """

def power(a: _Operand, b: _Operand, /, *, out: GPUArray | None = None) -> GPUArray:
    """`a ** b`, element by element: see `add`.

    Integers to negative exponents of an array give the exact result rounded towards
    zero: 0, or 1 and -1 for these bases.

    Raises:
        ValueError: An integer to a negative number that is not of an array; or as for
            `add`.
    """

def equal(a: _Operand, b: _Operand, /, *, out: GPUArray | None = None) -> GPUArray:
    """`a == b`, element by element: see `add`. The result is bool."""

def not_equal(a: _Operand, b: _Operand, /, *, out: GPUArray | None = None) -> GPUArray:
    """`a != b`, element by element: see `add`. The result is bool."""

def less(a: _Operand, b: _Operand, /, *, out: GPUArray | None = None) -> GPUArray:
    """`a < b`, element by element: see `add`. The result is bool."""

def less_equal(a: _Operand, b: _Operand, /, *, out: GPUArray | None = None) -> GPUArray:
    """`a <= b`, element by element: see `add`. The result is bool."""

def greater(a: _Operand, b: _Operand, /, *, out: GPUArray | None = None) -> GPUArray:
    """`a > b`, element by element: see `add`. The result is bool."""

def greater_equal(a: _Operand, b: _Operand, /, *, out: GPUArray | None = None) -> GPUArray:
    """`a >= b`, element by element: see `add`. The result is bool."""

def negative(a: GPUArray, /, *, out: GPUArray | None = None) -> GPUArray:
    """`-a`, element by element: see `add`."""

def matmul(
    a: GPUArray, b: GPUArray, /, *, out: GPUArray | None = None, use_tf32: bool | None = None
) -> GPUArray:
    """The matrix product, by NumPy's rules.

    Args:
        a: (..., M, K), or (K,).
        b: (..., K, N), or (K,). The leading dimensions broadcast.
        out: Where to put the result: (..., M, N).
        use_tf32: True allows float32 to be rounded to TF32 inside, where the device has
            it. By default float32 means float32.

    Returns:
        `out`, or a new array of the promoted dtype. float16 and bfloat16 are summed in
        float32; integers wrap; bool is an or of ands.

    Raises:
        ValueError: The shapes do not fit, or the arrays are on different devices.
    """

sub = subtract
mul = multiply
div = divide
true_divide = divide
