"""`Scheduler`: tasks have their memory from admission to end, and wait for each other."""

import pytest

import _pygpukit_rust as rust
import pygpukit as gp


class Clock:
    """Stands still until it is moved."""

    seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def scheduler(clock):
    return rust.Scheduler(total_memory=1000, clock=clock)


def meta(name, memory=0, priority=0, after=None):
    return rust.TaskMeta(name, name.upper(), memory, priority, after)


def test_what_is_queued_waits_until_its_memory_is_there(scheduler):
    assert scheduler.admit(meta("a", 800)).is_admitted()
    waits = scheduler.admit(meta("b", 800))
    assert (waits.decision_type, waits.queue_position, waits.reserved_memory) == ("Queue", 0, 0)
    assert scheduler.get_runnable_tasks(10) == ["a"]
    assert scheduler.stats().reserved_memory == 800
    assert not scheduler.start_task("b")
    assert scheduler.complete_task("a")
    assert scheduler.get_runnable_tasks(10) == ["b"]


@pytest.mark.parametrize("end", ["complete_task", "fail_task", "cancel_task"])
def test_what_ends_gives_back_what_it_was_admitted_with(scheduler, end):
    for name in ("a", "b", "c"):
        assert scheduler.admit(meta(name, 800)).is_admitted()
        if name == "b":
            scheduler.start_task(name)
        arguments = ["no luck"] if end == "fail_task" else []
        assert getattr(scheduler, end)(name, *arguments)
    stats = scheduler.admission_stats()
    assert (stats.reserved_memory, stats.available_memory) == (0, 1000)
    assert (stats.admitted_count, stats.queued_count, stats.pending_count) == (3, 0, 0)


def test_what_is_larger_than_all_there_is_is_not_submitted(scheduler):
    with pytest.raises(MemoryError, match=r"asked for 5000 bytes.* limit is 1000 bytes"):
        scheduler.submit(meta("a", 5000))
    assert scheduler.get_task("a") is None
    assert scheduler.get_runnable_tasks(10) == []
    assert scheduler.stats().total_submitted == 0


def test_a_task_s_own_reservation_does_not_stop_it(scheduler):
    scheduler.submit(meta("a", 600))
    assert scheduler.should_run("a")
    scheduler.submit(meta("b", 600))
    assert not scheduler.should_run("b")
    scheduler.start_task("a")
    assert not scheduler.should_run("a")
    assert not scheduler.should_run("unknown")


def test_an_id_is_used_once(scheduler):
    scheduler.submit(meta("a", 600))
    for call in (scheduler.submit, scheduler.admit, scheduler.evaluate_admission):
        with pytest.raises(ValueError, match="a task `a` already"):
            call(meta("a", 600))
    assert scheduler.stats().reserved_memory == 600
    assert scheduler.get_runnable_tasks(10) == ["a"]
    assert scheduler.get_runnable_tasks(10) == []
    assert [scheduler.complete_task("a") for _ in range(2)] == [True, False]
    assert scheduler.stats().reserved_memory == 0


def test_larger_priorities_go_first(scheduler):
    for name, priority in [("low", 0), ("high", 100), ("middle", 50)]:
        scheduler.submit(meta(name, 100, priority))
    assert scheduler.get_runnable_tasks() == ["high"]
    assert scheduler.get_runnable_tasks(10) == ["middle", "low"]
    # So do those that wait for memory.
    for name, priority in [("a", 0), ("b", 1)]:
        assert scheduler.admit(meta(name, 1000, priority)).is_queued()
    for name in ("high", "middle", "low"):
        scheduler.complete_task(name)
    assert scheduler.get_runnable_tasks(10) == ["b"]


@pytest.mark.parametrize("end", ["fail_task", "cancel_task"])
def test_a_dependency_that_was_not_done_is_not_satisfied(scheduler, end):
    scheduler.submit(meta("a"))
    scheduler.submit(meta("b", after=["a"]))
    scheduler.submit(meta("c", after=["b"]))
    assert scheduler.get_runnable_tasks(10) == ["a"]
    getattr(scheduler, end)("a", *(["no luck"] if end == "fail_task" else []))
    assert scheduler.get_runnable_tasks(10) == []
    cancelled = scheduler.get_task("c")
    assert (cancelled.state, cancelled.is_terminal()) == (rust.TaskState.Cancelled, True)
    assert cancelled.error == "depends on `b`, which was cancelled"
    stats = scheduler.stats()
    assert (stats.pending_count, stats.running_count) == (0, 0)
    refused = scheduler.admit(meta("d", after=["a"]))
    assert refused.reject_reason() == rust.RejectReason.UnsatisfiableDependencies
    assert refused.rejection_reason.reason_type == "UnsatisfiableDependencies"
    with pytest.raises(ValueError, match="task `d` depends on `a`"):
        scheduler.submit(meta("d", after=["a"]))


def test_unknown_and_circular_dependencies_are_reported(scheduler):
    for name, after in [("itself", "itself"), ("a", "b"), ("b", "a")]:
        refused = scheduler.evaluate_admission(meta(name, after=[after]))
        assert refused.reject_reason() == rust.RejectReason.UnsatisfiableDependencies
        with pytest.raises(ValueError, match=f"`{after}`, which is not known: submit it first"):
            scheduler.submit(meta(name, after=[after]))
    assert scheduler.stats().pending_count == 0


def test_tasks_start_after_all_that_they_depend_on(scheduler):
    for name in ("a", "b"):
        scheduler.submit(meta(name, 400))
    waits = scheduler.admit(meta("both", 900, after=["a", "b"]))
    assert (waits.is_queued(), waits.queue_position, waits.estimated_wait_ms) == (True, None, None)
    # It claims nothing meanwhile.
    assert scheduler.admit(meta("c", 200)).is_admitted()
    assert scheduler.get_runnable_tasks(10) == ["a", "b", "c"]
    scheduler.complete_task("a")
    scheduler.complete_task("b")
    assert scheduler.get_runnable_tasks(10) == []
    scheduler.complete_task("c")
    assert scheduler.get_runnable_tasks(10) == ["both"]


def test_what_can_never_fit_is_rejected_whether_it_waits_or_not(scheduler):
    scheduler.submit(meta("a", 500))
    for after in (None, ["a"]):
        foreseen = scheduler.evaluate_admission(meta("b", 1001, after=after))
        assert foreseen.reject_reason() == rust.RejectReason.InsufficientMemory
        details = scheduler.admit(meta("b", 1001, after=after)).rejection_reason
        assert (details.requested_memory, details.available_memory) == (1001, 500)
    assert scheduler.admission_stats().rejected_count == 2


def test_a_dry_run_changes_nothing(scheduler):
    for decision in ("Admit", "Queue"):
        before = scheduler.stats().total_submitted
        assert scheduler.evaluate_admission(meta("x", 600)).decision_type == decision
        assert scheduler.stats().total_submitted == before
        assert scheduler.admit(meta(f"{before}", 600)).decision_type == decision


def test_tasks_that_have_ended_are_forgotten_and_still_counted(clock):
    scheduler = rust.Scheduler(max_ended_tasks=2, clock=clock)
    for index in range(5):
        scheduler.submit(meta(f"{index}"))
        scheduler.complete_task(f"{index}")
    assert [scheduler.get_task_state(f"{index}") is None for index in range(5)] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert scheduler.get_task("0") is None
    assert scheduler.task_stats("0") is None
    assert (scheduler.stats().total_submitted, scheduler.stats().completed_count) == (5, 5)
    scheduler.clear()
    assert (scheduler.stats().total_submitted, scheduler.get_task("4")) == (0, None)


def test_a_full_queue_turns_away():
    scheduler = rust.Scheduler(1000, max_pending_tasks=1)
    for name in ("a", "b"):
        scheduler.submit(meta(name, 1000))
    with pytest.raises(RuntimeError, match="the queue is full"):
        scheduler.submit(meta("c", 1000))


def test_times_are_the_clock_s(scheduler, clock):
    clock.seconds = 1.0
    scheduler.submit(meta("a", 100))
    clock.seconds = 1.5
    scheduler.start_task("a")
    clock.seconds = 3.5
    running = scheduler.get_task("a")
    assert (running.submitted_at, running.started_at, running.completed_at) == (1.0, 1.5, None)
    assert (running.elapsed(), running.duration()) == (2.0, None)
    stats = scheduler.task_stats("a")
    assert (stats.wait_time, stats.exec_time, stats.memory_used) == (0.5, 2.0, 100)
    assert (stats.id, stats.name, stats.state) == ("a", "A", rust.TaskState.Running)
    scheduler.fail_task("a", "no luck")
    clock.seconds = 9.0
    ended = scheduler.get_task("a")
    assert (ended.completed_at, ended.duration(), ended.elapsed()) == (3.5, 2.0, 2.0)
    assert (ended.state, ended.error) == (rust.TaskState.Failed, "no luck")
    assert scheduler.task_stats("a").memory_used == 0
    assert (scheduler.stats().avg_wait_time, scheduler.stats().avg_exec_time) == (0.5, 2.0)


def test_tasks_and_states_are_values():
    task = rust.TaskMeta("a", "A", memory_estimate="1KiB", priority=-3, dependencies=["b"])
    assert (task.id, task.name, task.memory_estimate, task.priority) == ("a", "A", 1024, -3)
    assert (task.dependencies, task.state) == (["b"], rust.TaskState.Pending)
    assert (task.submitted_at, task.error, task.is_terminal()) == (None, None, False)
    assert rust.TaskState.Cancelled == 4
    assert len({rust.TaskState.Failed, rust.TaskState.Failed}) == 1
    unlimited = rust.Scheduler()
    assert (unlimited.total_memory, unlimited.sched_tick_ms, unlimited.window_ms) == (None, 10, 100)
    assert unlimited.stats().available_memory == 2**64 - 1
    with pytest.raises(ValueError):
        rust.Scheduler(sched_tick_ms=-1.0)


def test_the_scheduler_of_a_device_is_another_class():
    assert rust.Scheduler is not gp.Scheduler
    assert rust.DeviceScheduler is gp.Scheduler
    assert (rust.DeviceSchedulerStats, rust.DeviceTaskStats) == (gp.SchedulerStats, gp.TaskStats)
