"""Element types of arrays."""

from typing import Any, Final, Literal, final

import numpy as np

__all__ = [
    "DType",
    "bfloat16",
    "bool_",
    "complex64",
    "complex128",
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]

@final
class DType:
    """The element type of an array.

    Equal to its name and to the NumPy dtype of that name: `x.dtype == "float32"`
    and `x.dtype == np.float32` both work, and so does `np.dtype(gp.float32)`. As a key
    of a dict or a member of a set it is the same as the NumPy dtype; a name, as with
    NumPy's, is not.

    Args:
        dtype: A name (`"float32"`), a NumPy dtype or scalar type, `bool`, `int`
            (int64), `float` (float64), `complex` (complex128), or a `DType`.

    Raises:
        TypeError: `dtype` names no element type of PyGPUkit; the message lists them.

    Example:
        >>> import pygpukit as gp
        >>> gp.DType("float16").itemsize
        2
    """

    def __new__(cls, dtype: Any) -> DType: ...
    @property
    def name(self) -> str:
        """NumPy's name for it: `"float32"`."""
    @property
    def itemsize(self) -> int:
        """Bytes an element takes."""
    @property
    def kind(self) -> Literal["b", "i", "u", "f", "c"]:
        """Bool, signed, unsigned, floating point or complex."""
    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype; bfloat16 is that of `ml_dtypes`.

        Raises:
            TypeError: This is bfloat16, and `ml_dtypes` is not installed.
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

bfloat16: Final[DType]
bool_: Final[DType]
complex64: Final[DType]
complex128: Final[DType]
float16: Final[DType]
float32: Final[DType]
float64: Final[DType]
int8: Final[DType]
int16: Final[DType]
int32: Final[DType]
int64: Final[DType]
uint8: Final[DType]
uint16: Final[DType]
uint32: Final[DType]
uint64: Final[DType]
