"""Streams that share the time of a device: who may launch when."""

from collections.abc import Callable
from fractions import Fraction
from typing import final

__all__ = [
    "KernelPacingEngine",
    "PacingConfig",
    "PacingDecision",
    "PacingStats",
    "StreamPacingStats",
]

@final
class PacingConfig:
    """How streams are paced.

    Args:
        total_bandwidth: The share of the time that streams may have together.
        window_ms: A stream may save up its share of that many milliseconds.
        min_interval_ms: Launches of a stream are at least so far apart. A launch of which
            nothing is known is taken to last as long.
        adaptive: True to predict how long launches take from those that were completed.
    """

    def __new__(
        cls,
        total_bandwidth: float | Fraction = 1.0,
        window_ms: float | Fraction = 100.0,
        min_interval_ms: float | Fraction = 0.1,
        adaptive: bool = True,
    ) -> PacingConfig: ...
    @property
    def total_bandwidth(self) -> float:
        """The share of the time that streams may have together."""
    @property
    def window_ms(self) -> float:
        """A stream may save up its share of that many milliseconds."""
    @property
    def min_interval_ms(self) -> float:
        """Milliseconds between launches of a stream, at least."""
    @property
    def adaptive(self) -> bool:
        """Whether durations that were measured count."""

@final
class PacingDecision:
    """Whether a stream may launch."""

    def can_launch(self) -> bool:
        """It may."""
    def is_throttled(self) -> bool:
        """Its share of the time is used up."""
    def wait_ms(self) -> float:
        """Milliseconds until it may launch: exactly then it may; infinite without a share of the time."""
    @property
    def decision_type(self) -> str:
        """`"Launch"`; `"Wait"` shortly after the last launch; `"Throttle"` for a share that is used up."""

@final
class StreamPacingStats:
    """One stream at one moment."""

    @property
    def stream_id(self) -> int:
        """Which stream."""
    @property
    def bandwidth(self) -> float:
        """Its share of the time."""
    @property
    def launches_in_window(self) -> int:
        """Launches in the current window; windows follow each other from the clock's zero."""
    @property
    def total_launches(self) -> int:
        """Launches recorded."""
    @property
    def throttled_count(self) -> int:
        """Throttled launches recorded."""
    @property
    def debt_ms(self) -> float:
        """Milliseconds of the device's time that it used before they were due."""

@final
class PacingStats:
    """All streams at one moment."""

    @property
    def stream_count(self) -> int:
        """Streams that have a share."""
    @property
    def used_bandwidth(self) -> float:
        """The share of the time that they have together."""
    @property
    def available_bandwidth(self) -> float:
        """The share of the time that is left."""
    @property
    def total_launches(self) -> int:
        """Launches recorded."""
    @property
    def total_throttled(self) -> int:
        """Throttled launches recorded."""
    @property
    def total_waited(self) -> int:
        """Waits recorded."""

@final
class KernelPacingEngine:
    """Gives each stream its share of a device's time.

    A launch that is recorded is charged the time that it is expected to take, and corrected
    when its completion is recorded. So a stream whose kernels take longer launches fewer of
    them, and one that used too much waits until its share has caught up. A stream that has
    all of the time only keeps the interval between launches; one that was allocated none is
    not paced and not counted.

    Args:
        config: How streams are paced.
        clock: Returns the time in seconds; `time.monotonic` if left out.

    Example:
        >>> from pygpukit.compat import KernelPacingEngine
        >>> engine = KernelPacingEngine(clock=lambda: 0.0)
        >>> engine.allocate_stream(0, 0.5)
        True
        >>> engine.record_launch(0)
        True
        >>> engine.should_launch(0)
        <PacingDecision Throttle: 0.2 ms>
    """

    def __new__(
        cls, config: PacingConfig | None = None, clock: Callable[[], float] | None = None
    ) -> KernelPacingEngine: ...
    def allocate_stream(self, stream_id: int, bandwidth: float | Fraction) -> bool:
        """Gives a stream a share of the time, in place of what it had.

        Args:
            stream_id: Which stream.
            bandwidth: Its share, from 0 to 1.

        Returns:
            False if the other streams leave less; then nothing has changed.
        """
    def release_stream(self, stream_id: int) -> bool:
        """Takes a stream's share back; False if it has none.

        Args:
            stream_id: Which stream.
        """
    def should_launch(self, stream_id: int) -> PacingDecision:
        """Whether a stream may launch now.

        Args:
            stream_id: Which stream.
        """
    def record_launch(self, stream_id: int) -> bool:
        """A stream launches now; False if it has no share.

        Args:
            stream_id: Which stream.
        """
    def record_completion(self, stream_id: int, duration_ms: float | Fraction) -> bool:
        """The oldest launch of a stream has ended; False if none is known to run.

        Args:
            stream_id: Which stream.
            duration_ms: Milliseconds that it took of the device's time.
        """
    def record_throttle(self, stream_id: int) -> bool:
        """Counts a launch that was throttled; False if the stream has no share.

        Args:
            stream_id: Which stream.
        """
    def record_wait(self) -> None:
        """Counts a wait."""
    def stream_stats(self, stream_id: int) -> StreamPacingStats | None:
        """One stream in numbers; None if it has no share.

        Args:
            stream_id: Which stream.
        """
    def stats(self) -> PacingStats:
        """All streams in numbers."""
    def reset(self) -> None:
        """Takes all shares back, and begins to count anew."""
