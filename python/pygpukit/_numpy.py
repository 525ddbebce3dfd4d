"""What the thread that imports NumPy runs: Python code alone, see `numpy_module.rs`."""

from __future__ import annotations

import contextlib


def load() -> None:
    """Imports NumPy. What that raises, the import of whoever waits raises again."""
    with contextlib.suppress(BaseException):
        import numpy  # noqa: F401
