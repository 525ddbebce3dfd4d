"""Arrays on a device, and the functions that make and combine them."""

from pygpukit._pygpukit_rust import (
    GPUArray,
    add,
    arange,
    asarray,
    divide,
    empty,
    equal,
    floor_divide,
    from_dlpack,
    from_numpy,
    full,
    greater,
    greater_equal,
    less,
    less_equal,
    matmul,
    multiply,
    negative,
    not_equal,
    ones,
    power,
    remainder,
    subtract,
    zeros,
)

sub = subtract
mul = multiply
div = divide
true_divide = divide

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
