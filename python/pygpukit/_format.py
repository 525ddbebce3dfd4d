"""How arrays print."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pygpukit.array import GPUArray

_THRESHOLD = 1000
_EDGE = 3


def array_repr(array: GPUArray) -> str:
    """The array's values as NumPy prints them, with dtype and device.

    Of a large array only the corners that are shown are brought to the host.
    """
    import numpy as np

    shown = array
    if array.size > _THRESHOLD:
        for axis, length in enumerate(array.shape):
            if length > 2 * _EDGE + 1:
                shown = _edges(shown, axis)
    if shown.dtype == "bfloat16":
        shown = shown.astype("float32")
    limit = 0 if shown.size < array.size else shown.size + 1
    text = np.array2string(
        shown.to_numpy(), separator=", ", prefix="GPUArray(", threshold=limit, edgeitems=_EDGE
    )
    if array.size == 0:
        text = f"[], shape={array.shape}"
    return f"GPUArray({text}, dtype={array.dtype}, device='{array.device}')"


def _edges(array: GPUArray, axis: int) -> GPUArray:
    """The first and last items along an axis, and one between them that stands for the rest."""
    from pygpukit import empty

    kept = 2 * _EDGE + 1
    whole = (slice(None),) * axis
    shape = (*array.shape[:axis], kept, *array.shape[axis + 1 :])
    result = empty(shape, array.dtype, device=array.device)
    result[(*whole, slice(None, _EDGE + 1))] = array[(*whole, slice(None, _EDGE + 1))]
    result[(*whole, slice(-_EDGE, None))] = array[(*whole, slice(-_EDGE, None))]
    return result
