"""Custom kernels: CUDA C source, compiled and launched."""

from pygpukit._pygpukit_rust import (
    CompilerCandidate,
    ConfiguredKernel,
    Kernel,
    NullPointer,
    compiler_candidates,
    jit,
    nullptr,
)
from pygpukit._pygpukit_rust import KernelLaunchConfig as LaunchConfig

__all__ = [
    "CompilerCandidate",
    "ConfiguredKernel",
    "Kernel",
    "LaunchConfig",
    "NullPointer",
    "compiler_candidates",
    "jit",
    "nullptr",
]
