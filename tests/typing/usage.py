"""What a type checker sees of the public names. Checked by mypy, not run."""

import numpy as np
from typing_extensions import assert_type

import pygpukit as gp

x = gp.zeros((2, 3), dtype=gp.float16)
assert_type(x, gp.GPUArray)
assert_type(x.shape, tuple[int, ...])
assert_type(x.dtype, gp.DType)
assert_type(x.device, gp.Device)
assert_type(x + 1, gp.GPUArray)
assert_type(2.0 / x, gp.GPUArray)
assert_type(x == x, gp.GPUArray)
assert_type(x @ x.T, gp.GPUArray)
assert_type(x[0, ..., ::2], gp.GPUArray)
assert_type(gp.matmul(x, x.T, out=x), gp.GPUArray)
assert_type(gp.from_numpy(np.zeros(3), device="cpu"), gp.GPUArray)
assert_type(gp.devices(), list[gp.Device])

with gp.Device("cpu") as device, gp.Stream(device) as stream:
    assert_type(device, gp.Device)
    assert_type(stream, gp.Stream)

for row in x:
    assert_type(row, gp.GPUArray)

gp.zeros("3")  # type: ignore[arg-type]
gp.add(x, "1")  # type: ignore[arg-type]
gp.Device(1.5)  # type: ignore[arg-type]
x.shape = (3, 2)  # type: ignore[misc]
