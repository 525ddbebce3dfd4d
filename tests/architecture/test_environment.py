"""Every environment variable that the sources read is documented, and no other."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = re.compile(r"\bPYGPUKIT_[A-Z_]+\b")
SOURCES = ["crates", "kernels", "python"]


def test_variables_are_documented() -> None:
    read = {
        name
        for folder in SOURCES
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".rs", ".py"}
        for name in VARIABLE.findall(path.read_text(encoding="utf-8"))
    }
    page = (ROOT / "docs/environment.md").read_text(encoding="utf-8")
    assert read == set(VARIABLE.findall(page))
