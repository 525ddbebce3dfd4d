"""`SliceScheduler`: kernels run slice by slice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import _pygpukit_rust as rust


def scheduler(**config):
    return rust.SliceScheduler(rust.SliceConfig(**config))


def run(scheduler, exec_time_ms=0.0):
    """Runs all slices; returns them."""
    slices = []
    while (piece := scheduler.get_next_slice()) is not None:
        slices.append(piece)
        scheduler.complete_slice(exec_time_ms)
    return slices


def test_no_slice_has_more_items_than_allowed():
    sliced = scheduler(max_items_per_slice=1000)
    assert sliced.submit(1, 1999, (1, 1, 1), 0) == 2
    assert max(piece.count for piece in run(sliced)) <= 1000


@pytest.mark.parametrize(
    ("config", "word"),
    [
        ({"min_slices": 10, "max_slices": 5}, "`10`.*`5`"),
        ({"max_items_per_slice": 0}, "max_items_per_slice"),
        ({"min_slices": 0}, "min_slices"),
        ({"max_duration_ms": 0}, "max_duration_ms"),
        ({"max_duration_ms": float("nan")}, "NaN"),
    ],
)
def test_configurations_that_make_no_sense(config, word):
    with pytest.raises(ValueError, match=word):
        rust.SliceConfig(**config)


def test_blocks_without_threads():
    sliced = scheduler()
    for block in [(0, 1, 1), (256, 0, 1)]:
        with pytest.raises(ValueError, match="`0`"):
            sliced.submit(1, 1000, block, 0)
    with pytest.raises(ValueError, match="a grid has at most 2147483647"):
        sliced.submit(1, 2**64 - 1, (256, 1, 1), 0)
    assert sliced.pending_kernels() == 0


def test_a_kernel_without_items_blocks_nobody():
    sliced = scheduler()
    assert sliced.submit(1, 0, (256, 1, 1), 0) == 0
    sliced.submit(2, 10, (256, 1, 1), 0)
    assert sliced.get_next_slice().kernel_handle == 2
    stats = sliced.stats()
    assert (stats.completed_kernels, stats.pending_kernels, stats.pending_slices) == (1, 1, 1)


def test_what_is_completed_is_what_was_handed_out():
    sliced = scheduler(max_items_per_slice=100)
    sliced.submit_for_task("a", 1, 200, (1, 1, 1), 0, 0)
    assert sliced.get_next_slice().kernel_handle == 1
    sliced.submit_for_task("b", 2, 200, (1, 1, 1), 0, 9)
    assert sliced.get_next_slice().kernel_handle == 1
    done = sliced.complete_slice(1.5)
    assert (done.id, done.offset, done.count, done.grid) == (0, 0, 100, (100, 1, 1))
    assert (done.executed, done.exec_time_ms) == (True, 1.5)
    order = [(piece.task_id, piece.slice_id) for piece in run(sliced)]
    assert order == [("b", 0), ("b", 1), ("a", 1)]
    with pytest.raises(RuntimeError, match="no slice"):
        sliced.complete_slice(1.0)


def test_priority_holds_for_every_slice():
    sliced = scheduler(max_items_per_slice=100)
    sliced.submit_for_task("l", 1, 400, (100, 1, 1), 0, 0)
    sliced.submit_for_task("h", 2, 400, (100, 1, 1), 0, 100)
    assert "".join(piece.task_id for piece in run(sliced)) == "hhhhllll"
    for name in "ab":
        sliced.submit_for_task(name, 1, 300, (100, 1, 1), 0, 0)
    assert "".join(piece.task_id for piece in run(sliced)) == "ababab"


@given(
    items=st.integers(0, 1_000_000),
    block=st.integers(1, 1024),
    max_items=st.integers(1, 100_000),
)
def test_slices_are_whole_blocks_and_cover_every_item_once(items, block, max_items):
    sliced = scheduler(max_items_per_slice=max_items)
    count = sliced.submit(1, items, (block, 1, 1), 48)
    slices = run(sliced)
    assert len(slices) == count
    assert sum(piece.count for piece in slices) == items
    end = 0
    for piece in slices:
        assert piece.offset == end
        assert piece.offset % block == 0
        assert piece.grid == (-(-piece.count // block), 1, 1)
        assert piece.count <= max(max_items, block) or count == 256
        assert (piece.block, piece.shared_mem) == ((block, 1, 1), 48)
        end += piece.count


def test_kernels_that_take_long_are_cut_smaller_the_next_time():
    sliced = scheduler(max_items_per_slice=1000, max_duration_ms=1.0)
    assert sliced.submit(1, 1000, (10, 1, 1), 0) == 1
    run(sliced, exec_time_ms=2.5)
    assert sliced.submit(1, 1000, (10, 1, 1), 0) == 3
    fixed = scheduler(max_items_per_slice=1000, max_duration_ms=1.0, adaptive=False)
    for _ in range(2):
        assert fixed.submit(1, 1000, (10, 1, 1), 0) == 1
        run(fixed, exec_time_ms=2.5)


def test_defaults_and_numbers():
    sliced = rust.SliceScheduler()
    config = sliced.config()
    assert (config.max_items_per_slice, config.max_duration_ms) == (65536, 1.0)
    assert (config.min_slices, config.max_slices, config.adaptive) == (1, 256, True)
    sliced.submit(1, 200_000, (256, 1, 1), 0)
    sliced.get_next_slice()
    sliced.complete_slice(0.1)
    stats = sliced.stats()
    assert (stats.total_slices, stats.completed_slices, stats.pending_slices) == (4, 1, 3)
    assert (stats.total_kernels, stats.completed_kernels, stats.pending_kernels) == (1, 0, 1)
    assert (sliced.pending_slices(), sliced.pending_kernels()) == (3, 1)
    sliced.get_next_slice()
    sliced.clear()
    assert sliced.get_next_slice() is None
    assert sliced.pending_slices() == 0
