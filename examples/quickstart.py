"""A tour of PyGPUkit in a few steps, each checked against NumPy.

Runs on the default device: a GPU if there is one, else the CPU.
Choose with `PYGPUKIT_DEVICE=cpu python examples/quickstart.py`.
"""

from collections.abc import Callable

import numpy as np

import _pygpukit_rust as rust
import pygpukit as gp

MiB = 1024**2
GiB = 1024**3

SCALE = r"""
extern "C" __global__ void scale(float* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
"""


def allocation() -> str:
    x = gp.zeros((1024, 1024))
    y = gp.ones((1024, 1024), dtype="float16")

    assert (x.dtype, y.dtype) == (gp.float32, gp.float16)
    assert not x.to_numpy().any()
    assert y.to_numpy().all()
    return f"{x.nbytes // MiB} MiB of float32, {y.nbytes // MiB} MiB of float16"


def to_and_from_numpy() -> str:
    host = np.random.default_rng(1).standard_normal((512, 512), dtype=np.float32)
    x = gp.from_numpy(host)

    np.testing.assert_array_equal(x.to_numpy(), host)
    np.testing.assert_array_equal(x[::2, ::-1].T.to_numpy(), host[::2, ::-1].T)
    return "equal, slices and transposes too"


def elementwise() -> str:
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    b = np.array([1.0, 2.0, 3.0, 4.0], dtype=np.float32)
    x, y = gp.from_numpy(a), gp.from_numpy(b)

    np.testing.assert_array_equal(gp.add(x, y).to_numpy(), a + b)
    np.testing.assert_allclose(((x - 1) * y / 2).to_numpy(), (a - 1) * b / 2)
    np.testing.assert_array_equal((x > 5).to_numpy(), a > 5)
    return "equal, with broadcasting"


def matrix_product() -> str:
    random = np.random.default_rng(2)
    a = random.standard_normal((257, 129), dtype=np.float32)
    b = random.standard_normal((129, 65), dtype=np.float32)
    product = gp.matmul(gp.from_numpy(a), gp.from_numpy(b))

    np.testing.assert_allclose(product.to_numpy(), a @ b, rtol=1e-4, atol=1e-4)
    error = np.abs(product.to_numpy() - a.astype(np.float64) @ b).max()
    return f"{a.shape} @ {b.shape}, largest error {error:.0e}"


def custom_kernel() -> str:
    kernel = gp.jit(SCALE, func="scale")
    x = gp.arange(1000)
    if gp.default_device().type == "cpu":
        kernel.compile(arch="sm_80")
        config = kernel.launch_config(x, factor=0.5, n=x.size)
        return f"compiled, checked for {config}; needs a GPU to run"

    kernel(x, factor=0.5, n=x.size)
    np.testing.assert_array_equal(x.to_numpy(), np.arange(1000) * np.float32(0.5))
    return "x *= factor, on 1000 elements"


def scheduled_task() -> str:
    def squares(count: int) -> gp.GPUArray:
        x = gp.arange(count)
        return x * x

    with gp.Scheduler() as scheduler:
        task = scheduler.submit(
            squares, 1000, memory="64MiB", bandwidth=0.2, policy="guaranteed", name="squares"
        )
        result = task.result()
        stats = scheduler.stats(task)

    np.testing.assert_array_equal(result.to_numpy(), np.arange(1000, dtype=np.float32) ** 2)
    return (
        f"{task.admission.state}, {stats.state}: {stats.policy}, {stats.bandwidth:.0%} of the "
        f"time, {stats.memory_request >> 20} MiB reserved, {stats.used_memory} bytes still held"
    )


def memory_pool() -> str:
    pool = rust.MemoryPool(quota=100 * MiB, enable_eviction=True)
    pool.allocate(4096)
    return f"4096 bytes of {100 * MiB}"


def quality_of_service() -> str:
    evaluator = rust.QosPolicyEvaluator(total_memory=8 * GiB, total_bandwidth=1.0)
    task = rust.QosTaskMeta.guaranteed("task-1", "Critical Task", 256 * MiB)
    return str(evaluator.evaluate(task))


def partition() -> str:
    manager = rust.PartitionManager(rust.PartitionConfig(total_memory=8 * GiB))
    limits = rust.PartitionLimits().memory(4 * GiB).compute(0.5)
    manager.create_partition("inference", "Inference", limits)
    return str(manager.get("inference"))


STEPS: list[Callable[[], str]] = [
    allocation,
    to_and_from_numpy,
    elementwise,
    matrix_product,
    custom_kernel,
    scheduled_task,
    memory_pool,
    quality_of_service,
    partition,
]


def main() -> None:
    device = gp.default_device()
    print(f"PyGPUkit {gp.__version__} on {device}: {device.info.name}\n")
    for step in STEPS:
        print(f"  {step.__name__.replace('_', ' '):<20}  {step()}")
    print(f"\nAll {len(STEPS)} steps gave what NumPy gives.")


if __name__ == "__main__":
    main()
