"""Devices: GPUs, and the CPU as a device."""

from pygpukit._pygpukit_rust import (
    Device,
    DeviceCapabilities,
    DeviceInfo,
    default_device,
    devices,
    driver_verdict,
    get_device_capabilities,
    get_device_info,
    is_cuda_available,
)

__all__ = [
    "Device",
    "DeviceCapabilities",
    "DeviceInfo",
    "default_device",
    "devices",
    "driver_verdict",
    "get_device_capabilities",
    "get_device_info",
    "is_cuda_available",
]
