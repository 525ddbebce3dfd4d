"""`KernelPacingEngine`: streams that share the time of a device."""

import math

import pytest

import _pygpukit_rust as rust


class Clock:
    """Stands still until it is moved."""

    def __init__(self):
        self.seconds = 1000.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def engine(clock):
    return rust.KernelPacingEngine(clock=clock)


def launches(bandwidth, *, tick, takes=None, for_seconds=1.0):
    """Launches of a stream that asks every `tick` seconds, by what its kernels take."""
    clock = Clock()
    engine = rust.KernelPacingEngine(clock=clock)
    assert engine.allocate_stream(0, bandwidth)
    count = 0
    time = 0.0
    while time < for_seconds - 1e-9:
        clock.seconds = 1000.0 + time
        if not engine.should_launch(0).can_launch():
            time += tick
            continue
        engine.record_launch(0)
        count += 1
        time += takes or tick
        if takes:
            clock.seconds = 1000.0 + time
            assert engine.record_completion(0, takes * 1000)
    return count


def test_launches_are_in_proportion_to_shares():
    counts = [launches(share, tick=1e-4) for share in (0.1, 0.2, 0.5, 0.9, 1.0)]
    assert counts == [1000, 2000, 5000, 9000, 10000]


def test_launches_are_in_proportion_to_what_they_take():
    counts = [launches(share, tick=1e-4, takes=1e-3) for share in (0.1, 0.2, 0.5, 0.9, 1.0)]
    assert counts == pytest.approx([100, 200, 500, 900, 1000], abs=1)


def test_a_kernel_of_a_second_gets_its_share_and_no_more():
    assert launches(0.1, tick=0.01, takes=1.0, for_seconds=100.0) == pytest.approx(10, abs=1)


def test_the_whole_device_only_keeps_the_interval(clock, engine):
    engine.allocate_stream(0, 1.0)
    engine.record_launch(0)
    decision = engine.should_launch(0)
    assert (decision.decision_type, decision.is_throttled()) == ("Wait", False)
    assert decision.wait_ms() == 0.1
    clock.seconds += decision.wait_ms() / 1000
    assert engine.should_launch(0).decision_type == "Launch"


def test_exactly_after_the_wait_it_may_launch(clock, engine):
    engine.allocate_stream(0, 0.3)
    for _ in range(200):
        decision = engine.should_launch(0)
        clock.seconds += decision.wait_ms() / 1000
        assert engine.should_launch(0).can_launch()
        engine.record_launch(0)
        engine.record_completion(0, 0.37)
    early = engine.should_launch(0)
    assert early.is_throttled()
    clock.seconds += (early.wait_ms() - 0.001) / 1000
    assert not engine.should_launch(0).can_launch()


def test_allocating_again_replaces(engine):
    assert engine.allocate_stream(0, 0.5)
    assert engine.allocate_stream(0, 0.5)
    assert engine.stats().used_bandwidth == 0.5
    assert not engine.allocate_stream(1, 0.6)
    assert engine.stream_stats(1) is None
    assert engine.release_stream(0)
    assert not engine.release_stream(0)
    assert engine.stats().available_bandwidth == 1.0


def test_exact_fits_fit(engine):
    assert [engine.allocate_stream(n, share) for n, share in enumerate((0.8, 0.1, 0.1))] == [
        True,
        True,
        True,
    ]
    assert engine.stats().available_bandwidth == 0.0
    assert not engine.allocate_stream(3, 1e-9)


@pytest.mark.parametrize("share", [-5.0, float("nan"), 1.5, float("inf")])
def test_shares_that_are_none(engine, share):
    with pytest.raises(ValueError):
        engine.allocate_stream(0, share)
    with pytest.raises(ValueError):
        rust.PacingConfig(total_bandwidth=share)
    assert engine.stats().available_bandwidth == 1.0
    assert not (engine.allocate_stream(1, 1.0) and engine.allocate_stream(2, 0.1))


def test_no_share_of_the_time(engine):
    assert engine.allocate_stream(0, 0.0)
    decision = engine.should_launch(0)
    assert (decision.is_throttled(), decision.wait_ms()) == (True, math.inf)
    # Without an allocation a stream is not paced, nor counted.
    assert engine.should_launch(9).can_launch()
    assert not engine.record_launch(9)
    assert engine.stats().total_launches == 0


@pytest.mark.parametrize("window", [-1.0, 0, float("nan"), float("inf")])
def test_windows_that_are_none(window):
    with pytest.raises(ValueError):
        rust.PacingConfig(window_ms=window)


@pytest.mark.parametrize("interval", [-0.1, float("nan")])
def test_intervals_that_are_none(interval):
    with pytest.raises(ValueError):
        rust.PacingConfig(min_interval_ms=interval)


def test_defaults_and_numbers(clock, engine):
    config = rust.PacingConfig()
    assert (config.total_bandwidth, config.window_ms, config.min_interval_ms, config.adaptive) == (
        1.0,
        100.0,
        0.1,
        True,
    )
    engine.allocate_stream(0, 0.5)
    engine.record_launch(0)
    engine.record_throttle(0)
    engine.record_wait()
    engine.record_completion(0, 1.1)
    stats = engine.stats()
    assert (stats.stream_count, stats.total_launches) == (1, 1)
    assert (stats.total_throttled, stats.total_waited) == (1, 1)
    stream = engine.stream_stats(0)
    assert (stream.stream_id, stream.bandwidth, stream.debt_ms) == (0, 0.5, 1.0)
    assert (stream.launches_in_window, stream.total_launches, stream.throttled_count) == (1, 1, 1)
    clock.seconds += 0.1
    assert engine.stream_stats(0).launches_in_window == 0
    engine.reset()
    assert (engine.stats().stream_count, engine.stats().total_launches) == (0, 0)


def test_the_clock_is_monotonic_unless_one_is_given():
    engine = rust.KernelPacingEngine()
    assert engine.allocate_stream(0, 0.5)
    assert engine.should_launch(0).can_launch()
    wrong = rust.KernelPacingEngine(clock=lambda: -1.0)
    with pytest.raises(ValueError, match="clock"):
        wrong.should_launch(0)
    with pytest.raises(ZeroDivisionError):
        rust.KernelPacingEngine(clock=lambda: 1 / 0).should_launch(0)
