# What the compiled module holds; documented where it is re-exported.
from pygpukit.array import (
    GPUArray as GPUArray,
)
