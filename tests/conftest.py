"""What every test shares: the devices of this machine, and the `gpu` marker."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

import pygpukit as gp

DEVICES = [device.name for device in gp.devices()]
HAS_CUDA = any(name.startswith("cuda") for name in DEVICES)

# A test may not depend on how fast the machine is.
settings.register_profile(
    "default", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("default")


def _parameter(name: str) -> object:
    return pytest.param(name, marks=[] if name == "cpu" else [pytest.mark.gpu])


@pytest.fixture(scope="session", params=[_parameter(name) for name in DEVICES])
def device(request: pytest.FixtureRequest) -> str:
    """The name of each device of this machine."""
    name: str = request.param
    return name


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips, visibly, what needs a GPU where there is none."""
    if HAS_CUDA:
        return
    for item in items:
        if item.get_closest_marker("gpu"):
            item.add_marker(pytest.mark.skip(reason="no CUDA device here"))


def pytest_report_header() -> str:
    """Names the devices that are tested."""
    return f"devices: {', '.join(DEVICES)}"
