"""`KernelDispatcher`: launches handed out once, and followed to their end."""

import pytest

import _pygpukit_rust as rust
import pygpukit as gp

LINE = rust.LaunchConfig()


class Clock:
    """Stands still until it is moved."""

    seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def dispatcher(clock):
    return rust.KernelDispatcher(clock=clock)


def ready(dispatcher, most=9):
    return [request.id for request in dispatcher.get_ready(most)]


def test_grids_have_a_thread_for_each_element():
    grids = {
        2**32: 2**24,
        2**32 - 1: 2**24,
        2**33 + 5: 2**25 + 1,
        1: 1,
        0: 0,
    }
    for elements, blocks in grids.items():
        assert rust.LaunchConfig.linear(elements).grid == (blocks, 1, 1)
    assert rust.LaunchConfig.linear(1000, 100).block == (100, 1, 1)
    with pytest.raises(ValueError, match="no threads"):
        rust.LaunchConfig.linear(10, 0)
    with pytest.raises(ValueError, match="2147483648 blocks; a grid has at most 2147483647"):
        rust.LaunchConfig.linear(2**31, 1)


def test_configurations():
    assert (LINE.grid, LINE.block, LINE.shared_mem, LINE.stream_id) == (
        (1, 1, 1),
        (256, 1, 1),
        0,
        0,
    )
    square = rust.LaunchConfig.grid_2d(4, 3, 16, 8)
    assert (square.grid, square.block) == ((4, 3, 1), (16, 8, 1))
    square.shared_mem = 1024
    square.stream_id = 7
    assert repr(square) == (
        "LaunchConfig(grid=(4, 3, 1), block=(16, 8, 1), shared_mem=1024, stream_id=7)"
    )
    for wrong in [{"grid": (0, 1, 1)}, {"block": (2**32, 1, 1)}, {"block": ()}]:
        with pytest.raises(ValueError):
            rust.LaunchConfig(**wrong)
    # What `Kernel.launch_config` returns is another class.
    assert gp.LaunchConfig is not rust.LaunchConfig


def test_the_configuration_is_the_one_of_the_call(dispatcher):
    config = rust.LaunchConfig(stream_id=1)
    request = dispatcher.queue(7, config, [16, 2**63], "task")
    config.stream_id = 2
    queued = dispatcher.get_request(request)
    assert (queued.config.stream_id, queued.args, queued.task_id) == (1, [16, 2**63], "task")


def test_the_most_urgent_goes_first_and_nothing_twice(dispatcher):
    for priority in (0, 10, 5):
        dispatcher.queue(1, LINE, priority=priority)
    assert ready(dispatcher) == [2, 3, 1]
    assert ready(dispatcher) == []
    assert [dispatcher.mark_launched(1) for _ in range(2)] == [True, False]


def test_urgent_launches_of_all_streams_go_first(dispatcher):
    for stream, priority in [(0, 0), (1, 5), (0, 9)]:
        dispatcher.queue(1, rust.LaunchConfig(stream_id=stream), priority=priority)
    assert ready(dispatcher, 2) == [3, 2]


def test_no_more_than_max_in_flight(clock):
    dispatcher = rust.KernelDispatcher(max_in_flight=2, clock=clock)
    first, second, third = (dispatcher.queue(1, LINE) for _ in range(3))
    assert dispatcher.mark_launched(first)
    assert ready(dispatcher) == [second]
    assert not dispatcher.mark_launched(third)
    assert dispatcher.mark_completed(first)
    assert dispatcher.mark_launched(third)
    assert [request.id for request in dispatcher.get_in_flight(0)] == [third]
    with pytest.raises(ValueError):
        rust.KernelDispatcher(max_in_flight=0)


def test_no_more_than_max_in_flight_ms(clock):
    dispatcher = rust.KernelDispatcher(max_in_flight=9, max_in_flight_ms=1.0, clock=clock)
    for predicted in (0.6, 0.5, 0.4, 5.0):
        dispatcher.queue(1, LINE, predicted_ms=predicted)
    assert ready(dispatcher) == [1]
    dispatcher.mark_failed(1, "lost")
    assert ready(dispatcher) == [2, 3]
    for request in (2, 3):
        dispatcher.cancel(request)
    # What is longer than the limit has the stream alone.
    assert ready(dispatcher) == [4]


def test_an_end_is_final(clock, dispatcher):
    done = dispatcher.queue(1, LINE)
    dispatcher.get_ready(1)
    assert dispatcher.get_request(done).state == rust.KernelState.Queued
    clock.seconds = 2.0
    dispatcher.mark_launched(done)
    assert dispatcher.get_request(done).state == rust.KernelState.Launched
    clock.seconds = 2.5
    assert dispatcher.mark_completed(done)
    assert [dispatcher.mark_failed(done, "late") for _ in range(2)] == [False, False]
    assert not dispatcher.cancel(done)
    request = dispatcher.get_request(done)
    assert (request.state, request.error) == (rust.KernelState.Completed, None)
    assert (request.queued_at, request.launched_at, request.completed_at) == (0.0, 2.0, 2.5)
    assert request.duration() == 0.5
    stats = dispatcher.stats()
    assert (stats.completed_count, stats.failed_count, stats.avg_exec_time) == (1, 0, 0.5)


def test_failures_and_cancellations(dispatcher):
    failed, cancelled = dispatcher.queue(1, LINE), dispatcher.queue_for_task("t", 2, LINE, [1])
    assert dispatcher.mark_failed(failed, "no such kernel")
    assert not dispatcher.mark_failed(failed, "again")
    assert dispatcher.get_request(failed).error == "no such kernel"
    assert dispatcher.cancel(cancelled)
    [request] = dispatcher.get_requests_for_task("t")
    assert request.state == rust.KernelState.Cancelled
    assert request.duration() is None
    assert not dispatcher.has_pending_work()
    assert not dispatcher.mark_launched(cancelled)
    assert not dispatcher.mark_launched(99)


def test_counts_survive_a_collection(dispatcher):
    first, second = dispatcher.queue(1, LINE), dispatcher.queue(1, LINE)
    dispatcher.mark_launched(first)
    dispatcher.mark_completed(first)
    dispatcher.mark_launched(second)
    assert dispatcher.gc() == 1
    assert dispatcher.get_request(first) is None
    stats = dispatcher.stats()
    assert (stats.total_queued, stats.completed_count, stats.in_flight_count) == (2, 1, 1)
    assert (stats.pending_count, stats.launches_per_stream) == (0, {0: 2})
    dispatcher.clear()
    assert (dispatcher.stats().total_queued, dispatcher.has_pending_work()) == (0, False)
    assert dispatcher.queue(1, LINE) == 3


def test_states_are_values():
    assert rust.KernelState.Failed.is_terminal()
    assert not rust.KernelState.Launched.is_terminal()
    assert rust.KernelState.Queued != rust.KernelState.Launched
    assert len({rust.KernelState.Queued, rust.KernelState.Queued}) == 1
