"""`AsyncTransferEngine`: copies handed out in turn, and followed to their end."""

import pytest

import _pygpukit_rust as rust
from _pygpukit_rust import TransferState, TransferType


class Clock:
    """Stands still until it is moved."""

    seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def engine(clock):
    return rust.AsyncTransferEngine(clock=clock)


def ready(engine, most=99):
    return [transfer.id for transfer in engine.get_ready_transfers(most)]


def test_cancelled_transfers_free_their_places(clock):
    engine = rust.AsyncTransferEngine(max_concurrent=2, clock=clock)
    for transfer in [engine.enqueue_h2d(16, 32, 64) for _ in range(2)]:
        assert engine.cancel_transfer(transfer)
        assert not engine.cancel_transfer(transfer)
        assert engine.get_operation(transfer).state == TransferState.Cancelled
    assert ready(engine) == []
    later = [engine.enqueue_h2d(16, 32, 64) for _ in range(3)]
    assert ready(engine) == later[:2]
    # What is on its way cannot be called back, and its place is taken until it is reported.
    assert not engine.cancel_transfer(later[0])
    assert ready(engine) == []
    assert engine.fail_transfer(later[0], "lost")
    assert ready(engine) == [later[2]]


@pytest.mark.parametrize("collect", [False, True])
def test_what_was_started_before_its_turn_takes_no_second_place(clock, collect):
    engine = rust.AsyncTransferEngine(max_concurrent=1, clock=clock)
    early, later = engine.enqueue_h2d(16, 32, 64), engine.enqueue_h2d(16, 32, 64)
    assert engine.start_transfer(early)
    assert not engine.start_transfer(early)
    # There is no room for another.
    assert not engine.start_transfer(later)
    assert engine.complete_transfer(early)
    if collect:
        assert engine.gc() == 1
    assert ready(engine) == [later]
    assert engine.complete_transfer(later)
    assert not engine.has_pending_work()


def test_bytes_of_every_direction_are_counted(engine, clock):
    for direction, size in [("h2d", 1000), ("d2h", 200), ("d2d", 30)]:
        engine.enqueue_with_priority(direction, 16, 32, size, 0)
    transfers = ready(engine)
    clock.seconds = 1e-6
    assert all(engine.complete_transfer(transfer) for transfer in transfers)
    stats = engine.stats()
    assert (stats.h2d_bytes, stats.d2h_bytes, stats.d2d_bytes) == (1000, 200, 30)
    assert (stats.total_bytes, stats.completed_count) == (1230, 3)
    bandwidths = (stats.avg_h2d_bandwidth, stats.avg_d2h_bandwidth, stats.avg_d2d_bandwidth)
    assert bandwidths == (1.0, 0.2, 0.03)


def test_states_and_types_are_values(engine):
    transfer = engine.get_operation(engine.enqueue_d2h(16, 32, 64))
    assert transfer.state == TransferState.Queued
    assert transfer.state != TransferState.Failed
    assert transfer.transfer_type == TransferType.D2H
    assert {transfer.state: 1, TransferState.Queued: 2} == {TransferState.Queued: 2}
    assert len({TransferType.H2D, TransferType.D2H, TransferType.D2D, TransferType.H2D}) == 3
    assert [state.is_terminal() for state in (TransferState.InProgress, TransferState.Failed)] == [
        False,
        True,
    ]


def test_streams_are_values():
    streams = rust.StreamType
    fixed = [streams.Compute, streams.MemcpyH2D, streams.MemcpyD2H]
    assert [stream.to_id() for stream in fixed] == [0, 1, 2]
    assert streams.Custom(7) == streams.Custom(7) != streams.Custom(8)
    assert streams.Custom(0) != streams.Compute == streams.Compute
    assert len({*fixed, streams.Custom(7), streams.Custom(7)}) == 4
    assert (repr(fixed[0]), repr(streams.Custom(7))) == (
        "StreamType.Compute",
        "StreamType.Custom(7)",
    )


def test_no_direction_starves(clock):
    engine = rust.AsyncTransferEngine(max_concurrent=100, clock=clock)
    for _ in range(5):
        engine.enqueue_h2d(16, 32, 64)
    engine.enqueue_d2h(16, 32, 64)
    engine.enqueue_d2d(16, 32, 64)
    order = [engine.get_ready_transfers(1)[0].transfer_type for _ in range(7)]
    assert order == [TransferType.H2D, TransferType.D2H, TransferType.D2D] + 4 * [TransferType.H2D]


def test_the_most_urgent_goes_first_and_the_oldest_of_those(engine):
    for priority in (0, 7, 0, 7):
        engine.enqueue_with_priority("h2d", 16, 32, 64, priority)
    assert ready(engine) == [2, 4, 1, 3]
    with pytest.raises(ValueError, match='"h2d", "d2h" or "d2d", not `h2h`'):
        engine.enqueue_with_priority("h2h", 16, 32, 64, 0)


def test_an_urgent_copy_waits_for_one_chunk_of_a_long_one(clock):
    # 100 us at 50 GB/s are 5 MB, which is 1220 pages.
    engine = rust.TransferEngine(
        max_concurrent=1, max_latency="100us", h2d_bandwidth="50GB", clock=clock
    )
    chunk = 1220 * 4096
    bulk = engine.enqueue_h2d(0x1000, 0x2000, 3 * chunk - 1)
    [first] = engine.get_ready_transfers(9)
    assert (first.id, first.chunk, first.size) == (bulk, (0, chunk), 3 * chunk - 1)
    urgent = engine.enqueue_with_priority("h2d", 16, 32, 64, 1)
    assert ready(engine) == []
    assert engine.complete_transfer(bulk)
    [second] = engine.get_ready_transfers(9)
    assert (second.id, second.chunk) == (urgent, (0, 64))
    assert engine.complete_transfer(urgent)
    for offset, size in [(chunk, chunk), (2 * chunk, chunk - 1)]:
        [transfer] = engine.get_ready_transfers(9)
        assert (transfer.id, transfer.chunk) == (bulk, (offset, size))
        assert engine.complete_transfer(bulk)
    whole = engine.get_operation(bulk)
    assert (whole.state, whole.copied, whole.chunk) == (TransferState.Completed, whole.size, None)


def test_what_is_left_of_a_long_copy_can_be_cancelled(clock):
    engine = rust.AsyncTransferEngine(2, max_latency=0, clock=clock)
    bulk = engine.enqueue_d2h(0x1000, 0x2000, "1MiB")
    assert [transfer.chunk for transfer in engine.get_ready_transfers(9)] == [
        (0, 4096),
        (4096, 4096),
    ]
    assert engine.cancel_transfer(bulk)
    assert engine.get_operation(bulk).state == TransferState.InProgress
    assert [transfer.id for transfer in engine.get_in_progress_for_stream(2)] == [bulk]
    assert [engine.complete_transfer(bulk) for _ in range(3)] == [True, True, False]
    assert engine.get_operation(bulk).state == TransferState.Cancelled
    stats = engine.stats()
    assert (stats.d2h_bytes, stats.cancelled_count, stats.completed_count) == (8192, 1, 0)


def test_each_direction_has_its_addresses_and_its_stream(engine):
    engine.enqueue_h2d(host_ptr=0x1000, device_ptr=0x2000, size=64)
    engine.enqueue_d2h(device_ptr=0x2000, host_ptr=0x1000, size=64)
    engine.enqueue_d2d(src_ptr=0x2000, dst_ptr=0x3000, size=64)
    transfers = {transfer.stream_id: transfer for transfer in engine.get_ready_transfers(3)}
    expected = {
        rust.StreamType.Compute: (TransferType.D2D, 0x2000, 0x3000),
        rust.StreamType.MemcpyH2D: (TransferType.H2D, 0x1000, 0x2000),
        rust.StreamType.MemcpyD2H: (TransferType.D2H, 0x2000, 0x1000),
    }
    for stream, (direction, source, target) in expected.items():
        transfer = transfers[stream.to_id()]
        assert (transfer.transfer_type, transfer.src_ptr, transfer.dst_ptr) == (
            direction,
            source,
            target,
        )
        [found] = engine.get_in_progress_for_stream(stream.to_id())
        assert found.id == transfer.id
    assert engine.get_in_progress_for_stream(9) == []


def test_each_direction_is_cut_by_its_bandwidth(clock):
    # A second is so many pages, shared by two that are on their way together.
    pages = {"h2d": 2, "d2h": 6, "d2d": 10}
    bandwidths = {f"{direction}_bandwidth": 4096 * each for direction, each in pages.items()}
    engine = rust.AsyncTransferEngine(2, max_latency=1, clock=clock, **bandwidths)
    for direction in pages:
        engine.enqueue_with_priority(direction, 0x1000, 0x2000, "1MiB", 0)
    chunks = [transfer.chunk for transfer in engine.get_ready_transfers(3)]
    assert chunks == [(0, 4096 * each // 2) for each in pages.values()]


def test_only_what_was_copied_makes_a_bandwidth(clock):
    engine = rust.AsyncTransferEngine(2, max_latency=0, clock=clock)
    transfer = engine.enqueue_h2d(0x1000, 0x2000, "1MiB")
    engine.get_ready_transfers(2)
    clock.seconds = 4096e-9
    assert engine.complete_transfer(transfer)
    assert engine.fail_transfer(transfer, "lost")
    failed = engine.get_operation(transfer)
    assert (failed.state, failed.copied) == (TransferState.Failed, 4096)
    assert failed.bandwidth_gbps() == engine.stats().avg_h2d_bandwidth == 1.0


def test_times_are_the_clock_s(engine, clock):
    clock.seconds = 1.0
    transfer = engine.enqueue_h2d(16, 32, 3_000_000_000)
    clock.seconds = 1.5
    engine.get_ready_transfers(1)
    assert engine.get_operation(transfer).duration() is None
    clock.seconds = 3.5
    assert engine.complete_transfer(transfer)
    done = engine.get_operation(transfer)
    assert (done.src_ptr, done.dst_ptr, done.stream_id, done.priority) == (16, 32, 1, 0)
    assert (done.queued_at, done.started_at, done.completed_at) == (1.0, 1.5, 3.5)
    assert (done.wait_time(), done.duration(), done.bandwidth_gbps()) == (0.5, 2.0, 1.5)
    never = engine.get_operation(engine.enqueue_h2d(16, 32, 64))
    assert (never.wait_time(), never.duration(), never.bandwidth_gbps()) == (None, None, None)


def test_an_end_is_final(engine):
    transfer = engine.enqueue_d2d(16, 32, 64)
    assert [each.id for each in engine.get_ready_transfers(1)] == [transfer]
    assert engine.fail_transfer(transfer, "no such memory")
    assert not engine.fail_transfer(transfer, "again")
    assert not engine.complete_transfer(transfer)
    assert not engine.cancel_transfer(transfer)
    failed = engine.get_operation(transfer)
    assert (failed.state, failed.error) == (TransferState.Failed, "no such memory")
    assert engine.gc() == 1
    assert engine.get_operation(transfer) is None
    stats = engine.stats()
    assert (stats.total_queued, stats.failed_count, stats.pending_count) == (1, 1, 0)
    engine.clear()
    assert (engine.stats().total_queued, engine.enqueue_h2d(16, 32, 64)) == (0, 2)


def test_both_names_are_one_class():
    assert rust.TransferEngine is rust.AsyncTransferEngine
    with pytest.raises(ValueError):
        rust.TransferEngine(max_concurrent=0)
