"""Fixtures: each test that names `device` runs on the CPU and on every CUDA device."""

import pytest

import pygpukit as gp


@pytest.fixture(scope="session", params=[device.name for device in gp.devices()])
def device(request):
    """The name of a device, which is the current one meanwhile."""
    with gp.Device(request.param):
        yield request.param
