"""How the source of a kernel may be spelled. Compiling needs NVRTC, but no GPU."""

import pytest

import pygpukit as gp


@pytest.fixture(autouse=True)
def _on_the_cpu():
    """Nothing is launched here, also on a machine with a GPU."""
    with gp.Device("cpu"):
        yield


def test_sources_as_editors_write_them(tmp_path):
    text = "__global__ void k(int n) {}"
    (tmp_path / "k.cu").write_text(text, "utf-8-sig")
    for source in ("\ufeff" + text, tmp_path / "k.cu"):
        kernel = gp.jit(source, func="k")
        assert kernel.source == text
        kernel.compile()


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("#if N\n__global__ void k(int n) {}\n#else\n__global__ void k(int n) {}\n#endif", "int n"),
        ("// \\\n__global__ void k(float x) {}\n__global__ void k(int n) {}", "int n"),
        ("__global__ auto k(int n) -> void {}", "int n"),
        ("%:define K __global__\nK void k(int* n) <% n<:0:> = 1; %>", "int* n"),
        ("__global__ void k(const int& n) {}", "const int& n"),
        ("__global__ void k(void (*f)(int)) {}", "void(*)(int) f"),
    ],
)
def test_every_spelling_of_a_kernel(source, shown):
    kernel = gp.jit(source, func="k")
    assert repr(kernel) == f"<pygpukit.Kernel k({shown})>"
    kernel.compile()


def test_kernels_that_cannot_be_told():
    twins = "#if N\n__global__ void k(int n) {}\n#else\n__global__ void k(float x) {}\n#endif"
    with pytest.raises(ValueError, match="named `k`, with different parameters, on lines 2 and 4"):
        gp.jit(twins, func="k")
    with pytest.raises(ValueError, match='func="f<float" is no name of a kernel'):
        gp.jit("template <class T> __global__ void f(T x) {}", func="f<float")
    with pytest.raises(ValueError, match="kernel `k` is declared but has no body"):
        gp.jit("__global__ void k(int n);", func="k").compile()
