"""What is missing on a machine is said before anything is built, with what to install."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

PREFLIGHT = Path(__file__).resolve().parents[1] / "tools/preflight.sh"
# A Python that has all modules, one that lacks them, one that is too old.
PYTHON = "exit 0"
PYTHON_WITHOUT_VENV = 'case "$2" in *venv*) exit 1;; esac; exit 0'
OLD_PYTHON = 'case "$1" in -V) echo Python 3.9.1;; esac; exit 1'
WHOLE = {"python3": PYTHON, "cc": "exit 0", "cargo": "echo cargo 9.99.0"}


def preflight(folder: Path, programs: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs the checks where only `programs` are installed, each a line of shell."""
    for name in ("sh", "cat", "dirname", "head", "sed", "sort"):
        (folder / name).symlink_to(str(shutil.which(name)))
    for name, line in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return subprocess.run(
        [PREFLIGHT, "python3"],
        env=os.environ | {"PATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_nothing_is_missing(tmp_path: Path) -> None:
    result = preflight(tmp_path, WHOLE)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("program", "instead", "message"),
    [
        ("python3", None, "install Python 3.10"),
        ("python3", OLD_PYTHON, "is Python 3.9.1; Python 3.10 or later is needed"),
        ("python3", PYTHON_WITHOUT_VENV, "apt install python3-venv"),
        ("cc", None, "apt install gcc libc6-dev"),
        ("cargo", None, "install Rust from https://rustup.rs"),
        ("cargo", "echo cargo 1.60.0", "cargo 1.60.0 is too old"),
    ],
)
def test_what_is_missing_is_named(
    tmp_path: Path, program: str, instead: str | None, message: str
) -> None:
    programs = {name: line for name, line in WHOLE.items() if name != program}
    if instead is not None:
        programs[program] = instead
    result = preflight(tmp_path, programs)
    assert result.returncode == 1
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
