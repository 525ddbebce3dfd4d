"""Custom kernels: CUDA C source, compiled and launched."""

from pygpukit._pygpukit_rust import (
    CompilerCandidate,
    ConfiguredKernel,
    Kernel,
    LaunchConfig,
    NullPointer,
    compiler_candidates,
    jit,
    nullptr,
)

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
