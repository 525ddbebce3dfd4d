"""Logs of schedulers, played again."""

from os import PathLike
from typing import Any, final

__all__ = ["Replay", "replay", "replay_text"]

@final
class Replay:
    """What a log turned out to hold."""

    @property
    def events(self) -> int:
        """Events taken in."""
    @property
    def decisions(self) -> int:
        """Decisions that came out, each as logged."""
    @property
    def hash(self) -> str:
        """A hash of all decisions, in 16 hexadecimal digits: the same for the same decisions."""
    @property
    def span(self) -> float:
        """From the first event to the last, in seconds."""
    @property
    def grants(self) -> int:
        """Grants of the multiprocessors' time."""
    @property
    def granted_time(self) -> float:
        """How long they were together, in seconds."""
    @property
    def submitted(self) -> int:
        """Tasks submitted."""
    @property
    def started(self) -> int:
        """Of those, tasks that were started."""
    @property
    def queued(self) -> int:
        """Tasks that could not start at once."""
    @property
    def completed(self) -> int:
        """Tasks that ended well."""
    @property
    def failed(self) -> int:
        """Tasks that ended with an exception."""
    @property
    def cancelled(self) -> int:
        """Tasks that were cancelled before they started."""
    @property
    def rejected(self) -> int:
        """Tasks that were rejected, at once or after waiting too long."""
    @property
    def refused_growths(self) -> int:
        """Requests for memory beyond what was reserved that were refused."""
    def as_dict(self) -> dict[str, Any]:
        """All of it by name."""

def replay_text(text: str) -> Replay:
    """As `replay`, for the text of a log."""

def replay(path: str | PathLike[str]) -> Replay:
    """Plays a log that `Scheduler(log=)` wrote, and compares each decision with the one logged.

    The policy core decides by nothing but the events and their times, so the same log gives the same
    decisions on any machine. No device is needed. The command `pygpukit replay FILE` prints the same.

    Args:
        path: The file.

    Returns:
        What the log holds, with a hash of all decisions.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no log of this version's format, or a decision differs: the message names the
            line.

    Example:
        >>> import pygpukit as gp, tempfile, os
        >>> path = os.path.join(tempfile.mkdtemp(), "decisions.log")
        >>> with gp.Scheduler("cpu", log=path) as scheduler:
        ...     scheduler.submit(sum, (1, 2, 3), memory="1 MB").result()
        6
        >>> gp.replay(path).completed
        1
    """
