"""What PyGPUkit costs before any arithmetic: import, allocation, launches, copies, bandwidth.

Medians of repeated runs, one table, and JSON for comparison:

    python benches/overhead.py --wheel target/wheels/*.whl --json overhead.json
"""

import argparse
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import pygpukit as gp

SCALE = r"""
extern "C" __global__ void scale(float* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
"""


@dataclass(frozen=True)
class Row:
    """One figure."""

    what: str
    device: str
    value: float
    unit: str


def seconds(call: Callable[[], object], *, calls: int, repeats: int = 7) -> float:
    """Seconds of one call: the median over `repeats` runs of `calls` calls."""
    call()
    samples = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        samples.append((time.perf_counter() - start) / calls)
    return statistics.median(samples)


def processes() -> Iterator[Row]:
    """Whole interpreters, taken in turns so that drift meets all of them alike."""
    programs = {
        "bare interpreter": "pass",
        "import pygpukit": "import pygpukit",
        "import and devices()": "import pygpukit; pygpukit.devices()",
        "import numpy": "import numpy",
    }
    samples: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(15):
        for name, code in programs.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            samples[name].append(time.perf_counter() - start)
    medians = {name: statistics.median(times) for name, times in samples.items()}
    bare = medians.pop("bare interpreter")
    yield Row("bare interpreter", "host", bare * 1e3, "ms")
    for name, median in medians.items():
        yield Row(f"{name}, over the bare interpreter", "host", (median - bare) * 1e3, "ms")


def calls(device: gp.Device) -> Iterator[Row]:
    """What one call costs the caller; the work itself is tiny."""
    synchronize = device.synchronize
    yield Row(
        "allocate and free 1 MiB",
        device.name,
        1e9 * seconds(lambda: gp.empty(2**18), calls=500),
        "ns",
    )
    x = gp.zeros(256)
    yield Row(
        "launch x += 1", device.name, 1e9 * seconds(lambda: gp.add(x, 1, out=x), calls=500), "ns"
    )
    synchronize()

    def finished() -> None:
        gp.add(x, 1, out=x)
        synchronize()

    yield Row("launch and finish x += 1", device.name, 1e6 * seconds(finished, calls=50), "us")
    if device.type == "cuda":
        kernel = gp.jit(SCALE, func="scale")
        cost = seconds(lambda: kernel(x, 1.0, 256, grid=1, block=256), calls=500)
        synchronize()
        yield Row("launch a kernel of three arguments", device.name, 1e9 * cost, "ns")


def bandwidth(device: gp.Device) -> Iterator[Row]:
    """Gigabytes per second, read and written together."""
    count = 2**26 if device.type == "cuda" else 2**23
    x, y, out = gp.ones(count), gp.ones(count), gp.empty(count)
    host = np.ones(count, dtype=np.float32)

    def finished(call: Callable[[], object]) -> Callable[[], None]:
        def run() -> None:
            call()
            device.synchronize()

        return run

    def rate(what: str, moved: int, call: Callable[[], object]) -> Row:
        return Row(what, device.name, moved / seconds(finished(call), calls=3) / 1e9, "GB/s")

    yield rate("float32 out = x + y", 3 * x.nbytes, lambda: gp.add(x, y, out=out))
    yield rate("float32 out = x * 2", 2 * x.nbytes, lambda: gp.multiply(x, 2, out=out))
    yield rate("float32 out[...] = x", 2 * x.nbytes, lambda: out.__setitem__(..., x))
    yield rate("from_numpy", x.nbytes, lambda: gp.from_numpy(host))
    yield rate("to_numpy", x.nbytes, lambda: x.to_numpy(out=host))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--wheel", type=Path, help="a wheel, whose size is reported")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    arguments = parser.parse_args()

    rows = list(processes())
    if arguments.wheel:
        rows.append(Row("wheel", "host", arguments.wheel.stat().st_size / 1e6, "MB"))
    for device in gp.devices():
        with device:
            rows += [*calls(device), *bandwidth(device)]
    print(f"PyGPUkit {gp.__version__}, Python {platform.python_version()}, {platform.machine()}")
    for device in gp.devices():
        print(f"{device}: {device.info.name}")
    print()
    for row in rows:
        print(f"{row.device:<8} {row.what:<44} {row.value:>12,.1f} {row.unit}")
    if arguments.json:
        machine = {device.name: device.info.name for device in gp.devices()}
        figures = {
            "version": gp.__version__,
            "devices": machine,
            "rows": [asdict(row) for row in rows],
        }
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
