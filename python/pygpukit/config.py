"""What PyGPUkit found on this machine, for people and bug reports."""

import os
import sys

from pygpukit._pygpukit_rust import (
    DeviceNotAvailable,
    __version__,
    compiler_candidates,
    default_device,
    devices,
    driver_verdict,
)

__all__ = ["config", "show_config"]


def config() -> str:
    """The text that `show_config` prints."""
    try:
        default = str(default_device())
    except DeviceNotAvailable as error:
        default = f"none: {error}"
    lines = [
        f"pygpukit {__version__} on Python {sys.version.split()[0]}, {sys.platform}",
        f"devices: {', '.join(map(str, devices()))} (default: {default})",
        f"NVIDIA driver: {driver_verdict()}",
        "NVRTC:",
    ]
    for candidate in compiler_candidates():
        version = ".".join("?" if part is None else str(part) for part in candidate.version)
        lines.append(f"  {candidate.place:<14} {version:<6} {candidate.path}: {candidate.verdict}")
    variables = sorted(name for name in os.environ if name.startswith(("PYGPUKIT_", "CUDA_")))
    lines.append("environment:" if variables else "environment: nothing set")
    lines += [f"  {name}={os.environ[name]}" for name in variables]
    return "\n".join(lines)


def show_config() -> None:
    """Prints what was found: devices, the driver, every NVRTC candidate with its verdict."""
    print(config())
