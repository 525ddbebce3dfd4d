"""Every example in README.md, docs/ and the stubs runs, and shows what it says."""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pygpukit as gp

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
STUBS = sorted((ROOT / "python/pygpukit").glob("*.pyi"))
# A block that opens with ```python gpu needs a CUDA device.
BLOCK = re.compile(r"^```python(?P<gpu> gpu)?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
# The names that the table of promotion uses.
SHORT_NAMES = {
    "b": "bool", "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64",
    "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64",
    "f2": "float16", "bf": "bfloat16", "f4": "float32", "f8": "float64",
    "c8": "complex64", "c16": "complex128",
}  # fmt: skip
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def _pages() -> Iterator[object]:
    """A page is one session: its blocks share their names."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        blocks = list(BLOCK.finditer(text))
        for gpu in (False, True):
            session = "\n".join(block["text"] for block in blocks if gpu or not block["gpu"])
            if session and (not gpu or any(block["gpu"] for block in blocks)):
                marks = [pytest.mark.gpu] if gpu else []
                name = f"{page.relative_to(ROOT)}{' on a GPU' if gpu else ''}"
                yield pytest.param(session, gpu, id=name, marks=marks)


def _docstrings() -> Iterator[object]:
    for stub in STUBS:
        for node in ast.walk(ast.parse(stub.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                continue
            text = ast.get_docstring(node) or ""
            if ">>>" in text:
                yield pytest.param(text, id=f"{stub.stem}.{getattr(node, 'name', 'module')}")


def _run(text: str, name: str) -> int:
    test = doctest.DocTestParser().get_doctest(text + "\n", {}, name, name, 0)
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=report.append)
    assert result.failed == 0, "".join(report)
    return result.attempted


@pytest.mark.parametrize(("session", "gpu"), list(_pages()))
def test_page(session: str, gpu: bool, request: pytest.FixtureRequest) -> None:
    device = "cuda:0" if gpu else "cpu"
    # The pages are written as they read without a GPU.
    session = session.replace("'cpu'", f"'{device}'")
    with gp.Device(device):
        assert _run(session, request.node.name) > 0


@pytest.mark.parametrize("docstring", list(_docstrings()))
def test_docstring(docstring: str, request: pytest.FixtureRequest) -> None:
    with gp.Device("cpu"):
        assert _run(docstring, request.node.name) > 0


def test_the_table_of_promotion() -> None:
    """Each cell of the table in arrays.md is what adding two such arrays gives."""
    text = (ROOT / "docs/arrays.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip(" *") for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith(("| | b |", "| **"))
    ]
    names = rows[0][1:]
    dtypes = [gp.DType(SHORT_NAMES[name]) for name in names]
    assert len(rows) == 1 + len(names) == 16
    for row, left in zip(rows[1:], dtypes, strict=True):
        for cell, right in zip(row[1:], dtypes, strict=True):
            total = gp.zeros(1, left, device="cpu") + gp.zeros(1, right, device="cpu")
            assert total.dtype == SHORT_NAMES[cell], (left, right)


def test_a_wrong_example_is_found() -> None:
    with pytest.raises(AssertionError, match="Expected:"):
        _run(">>> 1 + 1\n3", "wrong")
