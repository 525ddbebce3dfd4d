"""`AdmissionController`: what is admitted has what it asked for, and the rest waits its turn."""

from fractions import Fraction

import pytest

import _pygpukit_rust as rust


class Clock:
    """Stands still until it is moved."""

    seconds = 0.0

    def __call__(self):
        return self.seconds


def controller(max_memory=1000, max_bandwidth=1.0, clock=None, **config):
    config = rust.AdmissionConfig(max_memory, max_bandwidth, **config)
    return rust.AdmissionController(config, clock=clock or Clock())


def test_the_bandwidth_that_is_asked_for_is_what_counts():
    half = controller(max_bandwidth=0.5)
    refused = half.try_admit("a", 10, 0.9)
    assert (refused.is_rejected(), refused.decision_type) == (True, "Reject")
    assert refused.reject_reason() == rust.RejectReason.InsufficientBandwidth
    assert refused.rejection_reason.reason_type == "BandwidthExceeded"
    assert "asked for 0.9" in refused.rejection_reason.message()
    assert refused.rejection_reason.requested_memory is None
    admitted = half.try_admit("a", 10, 0.5)
    assert (admitted.is_admitted(), admitted.reserved_bandwidth) == (True, 0.5)
    assert half.stats().available_bandwidth == 0.0


@pytest.mark.parametrize("share", [float("nan"), -5, 1.5, float("inf")])
def test_bandwidths_that_are_no_shares(share):
    with pytest.raises(ValueError):
        controller().try_admit("a", 10, share)
    with pytest.raises(ValueError):
        rust.AdmissionConfig(1000, share)


def test_a_release_gives_back_what_that_task_had():
    shared = controller()
    assert shared.try_admit("a", 10, 0.9).is_admitted()
    assert shared.try_admit("b", 400, 0.1).is_admitted()
    shared.release("a")
    stats = shared.stats()
    assert (stats.reserved_bandwidth, stats.used_bandwidth) == (0.1, 0.1)
    assert (stats.reserved_memory, stats.used_memory, stats.available_memory) == (400, 400, 600)


def test_a_name_is_admitted_once_and_released_once():
    shared = controller()
    shared.try_admit("a", 100, 0.0)
    with pytest.raises(ValueError, match="a task `a` already"):
        shared.try_admit("a", 100, 0.0)
    assert shared.stats().reserved_memory == 100
    shared.release("a")
    for name in ("a", "b"):
        with pytest.raises(ValueError, match=f"no task `{name}`"):
            shared.release(name)
    assert shared.stats().reserved_memory == 0
    assert shared.try_admit("a", 1000, 0.0).is_admitted()


def test_places_in_the_queue_come_back_and_what_waits_is_promoted():
    shared = controller(max_pending_tasks=1)
    shared.try_admit("a", 800, 0.0)
    for _ in range(3):
        assert shared.try_admit("b", 800, 0.0).is_queued()
        assert shared.stats().pending_count == 1
        full = shared.try_admit("c", 800, 0.0)
        assert full.reject_reason() == rust.RejectReason.QueueFull
        assert full.rejection_reason.reason_type == "QueueFull"
        # Whoever waits no more leaves room for others.
        shared.release("b")
    assert shared.stats().pending_count == 0
    assert shared.try_admit("b", 800, 0.0).queue_position == 0
    assert shared.take_promoted() == []
    shared.release("a")
    assert shared.take_promoted() == ["b"]
    assert shared.take_promoted() == []
    stats = shared.stats()
    assert (stats.pending_count, stats.reserved_memory) == (0, 800)
    assert (stats.admitted_count, stats.queued_count, stats.rejected_count) == (2, 4, 3)


@pytest.mark.parametrize("parts", [(2, 4, 4), (8, 1, 1), (1, 2, 7), (3, 3, 4)])
def test_parts_that_add_up_to_the_whole_fit(parts):
    shared = controller(max_memory=10)
    for part in parts:
        decision = shared.try_admit(f"{shared.stats().admitted_count}", part, part / 10)
        assert decision.is_admitted(), decision
    assert (shared.stats().available_memory, shared.stats().available_bandwidth) == (0, 0.0)


def test_every_three_parts_of_a_whole_fit():
    for whole in range(1, 16):
        for first in range(whole + 1):
            for second in range(whole + 1 - first):
                shared = controller(max_memory=whole)
                parts = (first, second, whole - first - second)
                for name, part in enumerate(parts):
                    share = Fraction(part, whole)
                    assert shared.try_admit(f"{name}", part, share).is_admitted(), parts


def test_what_is_larger_than_all_there_is_never_waits():
    shared = controller()
    refused = shared.try_admit("a", 1001, 0.0)
    assert refused.reject_reason() == rust.RejectReason.InsufficientMemory
    details = refused.rejection_reason
    assert (details.requested_memory, details.available_memory) == (1001, 1000)
    assert details.reason_type == "InsufficientMemory"
    assert refused.queue_position is None


def test_without_best_effort_nothing_waits():
    shared = controller(enable_best_effort=False)
    shared.try_admit("a", 800, 0.0)
    refused = shared.try_admit("b", 800, 0.0)
    assert refused.reject_reason() == rust.RejectReason.InsufficientMemory
    assert refused.rejection_reason.available_memory == 200
    # Exactly what was available can be had.
    assert shared.try_admit("b", 200, 0.0).is_admitted()


def test_waits_are_foreseen_from_those_before():
    clock = Clock()
    shared = controller(clock=clock)
    shared.try_admit("a", 1000, 0.0)
    assert shared.try_admit("b", 1000, 0.0).estimated_wait_ms is None
    clock.seconds = 2.0
    shared.release("a")
    clock.seconds = 2.5
    # The one that runs has run for half a second, and the last took two.
    waits = shared.try_admit("c", 1000, 0.0)
    assert (waits.queue_position, waits.estimated_wait_ms) == (0, 1500.0)


def test_configurations_and_values():
    config = rust.AdmissionConfig("1KiB", 0.25)
    assert (config.max_memory, config.max_bandwidth) == (1024, 0.25)
    assert (config.max_pending_tasks, config.enable_best_effort) == (1000, True)
    assert rust.RejectReason.UnsatisfiableDependencies == 3
    assert len({rust.RejectReason.Custom, rust.RejectReason.Custom}) == 1
    decision = controller().try_admit("a", 0, 0.0)
    assert (repr(decision), decision.rejection_reason) == ("<AdmissionDecision Admit>", None)
