"""The crates depend on each other, and on others, as ARCHITECTURE.md draws it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# An arrow of the drawing: who may depend on whom. There are no others.
ALLOWED = {
    "pygpukit": {"pygpukit-core", "pygpukit-device"},
    "pygpukit-core": set(),
    "pygpukit-device": {"pygpukit-core", "pygpukit-kernels", "pygpukit-ptx"},
    "pygpukit-kernels": set(),
    "pygpukit-ptx": set(),
    "pygpukit-python": {"pygpukit-core", "pygpukit-device", "pygpukit-ptx"},
}
# Crates that only one crate of ours may name.
FENCED = {
    "cudarc": "pygpukit-device",
    "gemm": "pygpukit-device",
    "libloading": "pygpukit-device",
    "numpy": "pygpukit-python",
    "pyo3": "pygpukit-python",
}


def dependencies() -> dict[str, set[str]]:
    """Every package of the workspace with all it depends on, also for tests and builds."""
    command = ["cargo", "metadata", "--no-deps", "--format-version=1", "--offline"]
    answer = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    packages = json.loads(answer.stdout)["packages"]
    return {
        package["name"]: {dependency["name"] for dependency in package["dependencies"]}
        for package in packages
    }


def test_crates_depend_only_along_the_arrows() -> None:
    found = dependencies()
    ours = {name: names & found.keys() for name, names in found.items()}
    assert ours.keys() == ALLOWED.keys()
    extra = {name: names - ALLOWED[name] - {name} for name, names in ours.items()}
    assert not any(extra.values()), f"edges that the architecture does not have: {extra}"


@pytest.mark.parametrize(("crate", "owner"), FENCED.items())
def test_a_fenced_crate_has_one_owner(crate: str, owner: str) -> None:
    owners = {name for name, names in dependencies().items() if crate in names}
    assert owners == {owner}


def test_cudarc_stays_behind_the_device_seam() -> None:
    source = ROOT / "crates/pygpukit-device/src"
    naming = {
        path.relative_to(source).parts[0]
        for path in source.rglob("*.rs")
        if re.search(r"\bcudarc::", path.read_text(encoding="utf-8"))
    }
    assert naming <= {"cuda"}
    # The module is private, so that no type of it can be named from outside.
    library = (source / "lib.rs").read_text(encoding="utf-8")
    assert re.search(r"^mod cuda;$", library, re.MULTILINE)
    assert not re.search(r"pub use (crate::)?cuda\b", library)


CLOCKS = re.compile(
    r"\bInstant::now|\bSystemTime\b|\bthread::|\benv::var|\bstd::(fs|net|process)\b"
)


@pytest.mark.parametrize("folder", ["crates/pygpukit-core", "kernels"])
def test_pure_crates_have_no_clock_thread_or_environment(folder: str) -> None:
    library = ROOT / folder / ("src/lib.rs" if folder.startswith("crates") else "lib.rs")
    assert "#![forbid(unsafe_code)]" in library.read_text(encoding="utf-8")
    sources = [path for path in (ROOT / folder).rglob("*.rs") if "examples" not in path.parts]
    assert sources
    for path in sources:
        found = CLOCKS.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{path.relative_to(ROOT)} names {found and found.group()}"
