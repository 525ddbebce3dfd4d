"""A little of everything on the GPU, to be run under compute-sanitizer.

With `--plant` it writes out of bounds on purpose: the sanitizer must say so, or it
sees nothing. Run with PYGPUKIT_ALLOCATOR=direct, since it cannot look inside a pool.
"""

import sys

import numpy as np

import pygpukit as gp

STORE = r"""
extern "C" __global__ void store(float* x, int at) { x[at] = 1.0f; }
"""


def operations() -> None:
    """Every kind of built-in kernel, at sizes and strides that do not divide evenly."""
    for dtype in ("float32", "float16", "bfloat16", "complex64", "int8", "bool"):
        x = gp.arange(35).reshape(5, 7).astype(dtype)
        x.copy().fill(1)
        (x[::2, ::-1] == x[::2]).tolist()
        gp.matmul(x, x.T).astype("float32").tolist()
        if dtype != "bool":
            (x * x + x).astype("float32").tolist()
    for m, n, k in [(1, 1, 1), (17, 5, 33), (65, 129, 31), (1, 130, 7)]:
        a, b = np.ones((m, k), np.float32), np.ones((k, n), np.float32)
        for use_tf32 in (False, True):
            product = gp.matmul(gp.from_numpy(a), gp.from_numpy(b), use_tf32=use_tf32)
            assert (product.to_numpy() == k).all()


def main() -> None:
    with gp.Device("cuda:0"):
        kernel = gp.jit(STORE, func="store")
        x = gp.zeros(64)
        if "--plant" in sys.argv:
            kernel(x, 64, grid=1, block=1)
        else:
            kernel(x, 63, grid=1, block=1)
            operations()
        gp.Device("cuda:0").synchronize()


if __name__ == "__main__":
    main()
