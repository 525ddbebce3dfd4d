"""Compiling kernels: no GPU is needed, NVRTC is, a dependency of the tests."""

import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

import pygpukit as gp
from pygpukit.kernel import compiler_candidates

SOURCE = """
struct Pair { float a; double b; };
extern "C" __global__ void scale(float* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
__global__ void copy(const float* __restrict__ from, float* to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 100) to[i] = from[i];
}
__global__ void options(float* x, int grid, int block) { if (threadIdx.x < grid) x[block] = 1; }
__global__ void reserved(float* in, int n, float* out) { if (threadIdx.x < n) out[0] = in[0]; }
__global__ void pair(Pair p, float4 v, void* any) {}
__global__ void number(double d) {}
__global__ void flag(bool b) {}
__global__ void shared_memory(float* x) {
    extern __shared__ float s[]; s[threadIdx.x] = *x; *x = s[0];
}
__global__ void __launch_bounds__(64) bounded(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 1;
}
"""


@pytest.fixture(autouse=True)
def _on_the_cpu():
    """Nothing is launched here, also on a machine with a GPU."""
    with gp.Device("cpu"):
        yield


def jit(func, **options):
    return gp.jit(SOURCE, func=func, **options)


@pytest.fixture
def x():
    return gp.zeros(1000, device="cpu")


def accepts(kernel, *args, **kwargs):
    """All checks pass, so that only the missing GPU is left to complain about."""
    with pytest.raises(gp.UnsupportedError, match="needs a GPU"):
        kernel(*args, **kwargs)


def test_compiling_needs_no_gpu():
    kernel = jit("scale")
    kernel.compile()
    for arch in ("sm_90", "sm_90a", "compute_80"):
        kernel.compile(arch)
    kernel.compile(arch="sm_80")
    with pytest.raises(ValueError, match="`90`"):
        kernel.compile("90")


def test_compile_errors_have_the_users_lines():
    kernel = gp.jit(SOURCE.replace("*= factor;", "*= facto;"), func="scale")
    with pytest.raises(gp.CompileError, match="facto") as caught:
        kernel.compile()
    first = caught.value.diagnostics[0]
    assert (first.file, first.line, first.severity) == ("scale.cu", 5, "error")
    assert first.text == 'identifier "facto" is undefined'
    source, caret = first.excerpt
    assert source[caret.index("^") :].startswith("facto;")
    assert "scale.cu(5): error: " in str(first)
    assert first.text in caught.value.log
    assert isinstance(caught.value, gp.PyGPUkitError)


def test_a_file_is_named_by_its_path(tmp_path):
    folder = tmp_path / "größe 大小"
    folder.mkdir()
    (folder / "header.cuh").write_text("__device__ int twice(int x) { return 2 * x; }\n")
    path = folder / "kernel.cu"
    path.write_text(
        '#include "header.cuh"\n__global__ void k(int* x) {\n  *x = twice(y);\n}\n', "utf-8"
    )
    with pytest.raises(gp.CompileError) as caught:
        gp.jit(path, func="k").compile()
    assert (caught.value.diagnostics[0].file, caught.value.diagnostics[0].line) == (str(path), 3)
    path.write_text(path.read_text("utf-8").replace("(y)", "(1)"), "utf-8")
    gp.jit(path, func="k").compile()


def test_missing_headers_are_explained():
    with pytest.raises(gp.CompileError, match="help: NVRTC brings no standard headers"):
        gp.jit("#include <stdint.h>\n" + SOURCE, func="scale").compile()


def test_options_that_the_compiler_does_not_know_are_named():
    kernel = gp.jit("__global__ void x() {}", func="x", options=["--no-such-option"])
    with pytest.raises(gp.CompileError, match="--no-such-option"):
        kernel.compile()


def test_options_reach_the_compiler():
    source = "__global__ void k(int* x) { *x = N; }"
    gp.jit(source, func="k", options=["-DN=4"]).compile()
    with pytest.raises(gp.CompileError, match='identifier "N" is undefined'):
        gp.jit(source, func="k").compile()


def test_threads_compile_at_once(x):
    kernel, failures = jit("scale"), []

    def call():
        try:
            accepts(kernel, x, 1.0, 1)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# Finding the compiler, each in a process of its own


def child(code, *flags, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("CUDA_", "PYGPUKIT_"))}
    result = subprocess.run(
        [sys.executable, *flags, "-c", textwrap.dedent(code)],
        env={**clean, "PYGPUKIT_DEVICE": "cpu", **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    return result.stdout


def test_programs_do_not_leak():
    # Each program is a megabyte; one that may include files is not kept.
    child("""
        import gc, resource
        from pathlib import Path
        import pygpukit as gp
        ballast = "// include " + "x" * 1_000_000
        def compile_some(count):
            for i in range(count):
                source = f"{ballast}\\n__global__ void k(int* x) {{ *x = {i}; }}"
                gp.jit(source, func="k").compile("compute_80")
            gc.collect()
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            return pages * resource.getpagesize()
        before = compile_some(8)
        after = compile_some(40)
        assert after - before < 20e6, (before, after)
    """)


COMPILE = """
import pygpukit as gp
gp.jit("__global__ void k() {}", func="k").compile()
print("compiled")
"""


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"CUDA_PATH": "/nonexistent"},
        {"CUDA_HOME": "/nonexistent:/usr/nothing"},
        {"CONDA_PREFIX": "/nonexistent"},
    ],
)
def test_only_the_wheel(environment):
    assert child(COMPILE, **environment) == "compiled\n"


def test_no_compiler_says_how_to_install(tmp_path):
    # The package alone, without the wheels that are installed beside it.
    (tmp_path / "pygpukit").symlink_to(Path(gp.__file__).parent)
    out = child(
        """
        import pygpukit as gp
        try:
            gp.jit("__global__ void k() {}", func="k").compile()
        except gp.CompilerNotFound as error:
            print(error)
        """,
        "-S",
        PYTHONPATH=str(tmp_path),
        VIRTUAL_ENV="",
        CONDA_PREFIX="",
    )
    if not out:
        pytest.skip("this system has an NVRTC of its own")
    assert 'pip install "pygpukit[nvrtc]"' in out
    assert "Looked at:" in out


def test_a_wrong_explicit_path_is_not_passed_over():
    out = child(
        """
        import sys, pygpukit as gp
        kernel = gp.jit("__global__ void k() {}", func="k")
        try:
            kernel.compile()
        except gp.CompilerNotFound as error:
            print(error)
        """,
        PYGPUKIT_NVRTC="/nonexistent/libnvrtc.so.13",
    )
    assert "PYGPUKIT_NVRTC names `/nonexistent/libnvrtc.so.13`" in out
    assert "not found" in out


@pytest.mark.parametrize("name", ["libz_of_mine.so", "libmine.so.6"])
def test_an_explicit_library_that_is_not_nvrtc(tmp_path, name):
    # Any other library, whatever number its name has: the package's own module will do.
    path = tmp_path / name
    path.symlink_to(gp._pygpukit_rust.__file__)
    out = child(
        """
        import pygpukit as gp
        try:
            gp.jit("__global__ void k() {}", func="k").compile()
        except gp.CompilerNotFound as error:
            print(error)
        """,
        PYGPUKIT_NVRTC=str(path),
    )
    reason = "it is not NVRTC: it has no function `nvrtcVersion`"
    assert out == f"PYGPUKIT_NVRTC names `{path}`, which cannot be used: {reason}\n"


def test_candidates_have_verdicts():
    candidates = compiler_candidates()
    used = [candidate for candidate in candidates if candidate.is_used]
    assert len(used) == 1
    assert used[0].verdict == "used"
    major, minor = used[0].version
    assert major >= 12
    assert minor is not None
    assert used[0].path in str(used[0])
    assert {c.verdict for c in candidates} <= {"used", "not found", "not needed"}
