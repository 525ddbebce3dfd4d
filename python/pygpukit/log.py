"""Logs of schedulers, played again."""

from os import PathLike
from pathlib import Path

from pygpukit._pygpukit_rust import Replay, replay_text

__all__ = ["Replay", "replay", "replay_text"]


def replay(path: str | PathLike[str]) -> Replay:
    """Plays a log and compares each decision with the one logged."""
    return replay_text(Path(path).read_text(encoding="utf-8", errors="replace"))
