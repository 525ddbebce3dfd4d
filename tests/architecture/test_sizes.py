"""A file that is too long to read at once is taken apart, or listed here with its reason."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 500
FOLDERS = ["benches", "crates", "examples", "kernels", "python", "tests", "tools"]
SUFFIXES = {".rs", ".py", ".pyi", ".cu", ".cuh", ".sh"}
# path -> why it is longer
EXCEPTIONS = {
    "crates/pygpukit-device/tests/kernel_calls.rs": "one table of calls over one recording device",
}


def lengths() -> dict[str, int]:
    """Lines of every source file."""
    return {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.suffix in SUFFIXES
    }


def test_no_file_is_too_long() -> None:
    found = {path for path, lines in lengths().items() if lines > LIMIT}
    assert found == EXCEPTIONS.keys()


def test_modules_that_only_declare_stay_short() -> None:
    long = {
        path: lines for path, lines in lengths().items() if path.endswith("/lib.rs") and lines > 120
    }
    assert not long
