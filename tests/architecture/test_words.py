"""Words that have no place in a finished file."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FORBIDDEN = re.compile(
    r"\b(TODO|FIXME|XXX)\b"
    r"|\b(todo|unimplemented)!"
    r"|#\[ignore"
    r"|\b(importorskip|mark\.xfail)\b"
    r"|\bissue #?\d"
    r"|(?<![\w.])/(work|root)/"
)


def test_no_file_is_unfinished_or_names_one_machine() -> None:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    found = []
    for name in listing.stdout.decode().split("\0"):
        path = ROOT / name
        if not path.is_file() or path == Path(__file__).resolve():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [
            f"{name}:{number}: {match.group()}"
            for number, line in enumerate(text.splitlines(), 1)
            if (match := FORBIDDEN.search(line))
        ]
    assert not found, "\n".join(found)
