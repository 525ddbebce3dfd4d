"""The binding: frozen classes, and errors that are documented and exported."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pygpukit as gp
from pygpukit import _pygpukit_rust, errors

ROOT = Path(__file__).resolve().parents[2]
BINDING = ROOT / "crates/pygpukit-python/src"
PYCLASS = re.compile(r"#\[pyclass(?:\((?P<options>[^\]]*)\))?\]")


def test_every_class_is_frozen() -> None:
    classes = [
        (path.name, match["options"] or "")
        for path in BINDING.rglob("*.rs")
        for match in PYCLASS.finditer(path.read_text(encoding="utf-8"))
    ]
    assert classes
    mutable = [name for name, options in classes if "frozen" not in re.split(r"[\s,]+", options)]
    assert not mutable


def test_errors_are_listed_documented_and_exported() -> None:
    raised = {
        name
        for name, value in vars(_pygpukit_rust).items()
        if isinstance(value, type) and issubclass(value, gp.PyGPUkitError)
    }
    offered = {name: getattr(errors, name) for name in errors.__all__}
    assert raised == {name for name, value in offered.items() if issubclass(value, Exception)}
    assert raised <= set(gp.__all__)
    stub = ast.parse((ROOT / "python/pygpukit/errors.pyi").read_text(encoding="utf-8"))
    documented = {
        node.name
        for node in stub.body
        if isinstance(node, ast.ClassDef) and ast.get_docstring(node)
    }
    assert documented == offered.keys()
