"""Compiles every `.cu` of this folder to a `.ptx` beside it, with NVRTC.

Run it with a Python that has the NVRTC wheel: `python compile.py [name ...]`. The results are
committed, so that the tests need no compiler.
"""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
OPTIONS = ["--gpu-architecture=compute_90", "--std=c++17", "-default-device"]


def nvrtc() -> ctypes.CDLL:
    """The library of the wheel, its helper library loaded first."""
    spec = importlib.util.find_spec("nvidia")
    for root in spec.submodule_search_locations or [] if spec else []:
        for folder in ("cu13/lib", "cuda_nvrtc/lib"):
            found = sorted((Path(root) / folder).glob("libnvrtc.so.*"))
            if found:
                for helper in found[0].parent.glob("libnvrtc-builtins.so.*"):
                    ctypes.CDLL(str(helper), ctypes.RTLD_GLOBAL)
                return ctypes.CDLL(str(found[0]))
    raise SystemExit("no NVRTC wheel in this Python: pip install nvidia-cuda-nvrtc")


def compile_file(library: ctypes.CDLL, path: Path, options: list[str]) -> bytes:
    """The PTX of one source."""
    program = ctypes.c_void_p()
    source = path.read_bytes()
    library.nvrtcCreateProgram(ctypes.byref(program), source, path.name.encode(), 0, None, None)
    # A first line `// options: ...` adds to the options.
    first = source.split(b"\n", 1)[0].decode()
    if first.startswith("// options:"):
        options = options + first.removeprefix("// options:").split()
    words = (ctypes.c_char_p * len(options))(*(word.encode() for word in options))
    status = library.nvrtcCompileProgram(program, len(options), words)
    size = ctypes.c_size_t()
    if status != 0:
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvrtcGetProgramLog(program, log)
        raise SystemExit(f"{path.name}: {log.value.decode()}")
    library.nvrtcGetPTXSize(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    library.nvrtcGetPTX(program, text)
    return text.value


def main() -> None:
    """Compiles what the command line names, or all."""
    library = nvrtc()
    names = sys.argv[1:] or sorted(path.stem for path in FOLDER.glob("*.cu"))
    for name in names:
        text = compile_file(library, FOLDER / f"{name}.cu", OPTIONS)
        (FOLDER / f"{name}.ptx").write_bytes(text)


if __name__ == "__main__":
    main()
