"""One stub beside every topic module, with the same names, and a checker that finds faults."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pygpukit as gp

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python/pygpukit"
TOPICS = sorted(path for path in PACKAGE.glob("*.py") if not path.name.startswith("_"))


def exported(path: Path) -> list[str]:
    """`__all__` of a module or stub."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names: list[str] = ast.literal_eval(node.value)
            return names
    raise AssertionError(f"{path.name} has no __all__")


@pytest.mark.parametrize("module", TOPICS, ids=lambda path: path.stem)
def test_a_topic_module_has_its_stub(module: Path) -> None:
    names = exported(module)
    assert names == exported(module.with_suffix(".pyi"))
    assert len(names) == len(set(names))


def test_every_stub_has_its_module() -> None:
    """A stub alone hides faults from stubtest."""
    alone = [
        stub.name
        for stub in PACKAGE.glob("*.pyi")
        if not stub.with_suffix(".py").exists() and stub.stem != "_pygpukit_rust"
    ]
    assert not alone


def test_public_names_come_from_the_topic_modules() -> None:
    offered = {name for module in TOPICS for name in exported(module)}
    assert set(gp.__all__) <= offered | {"__version__"}
    assert all(hasattr(gp, name) for name in gp.__all__)


def test_the_checker_finds_a_wrong_stub(tmp_path: Path) -> None:
    stubs = tmp_path / "pygpukit"
    shutil.copytree(PACKAGE, stubs, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    stub = stubs / "device.pyi"
    right = "def trim(self) -> int:"
    text = stub.read_text(encoding="utf-8")
    assert text.count(right) == 1
    stub.write_text(text.replace(right, "def trim(self, wrong: int) -> int:"), encoding="utf-8")
    # Only the stubs: the modules are imported from where the package is installed.
    for module in stubs.glob("*.py"):
        if module.with_suffix(".pyi").exists():
            module.unlink()
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\n", encoding="utf-8")
    answer = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "pygpukit.device", "--mypy-config-file", config],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(tmp_path), "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode != 0
    assert "pygpukit.device.Device.trim" in answer.stdout
    assert answer.stdout.count("error: ") == 1, answer.stdout
