"""Schedulers and tasks."""

import asyncio
import concurrent.futures
import contextvars
import inspect
import threading
from datetime import timedelta
from fractions import Fraction

import pytest

import pygpukit as gp


@pytest.fixture
def scheduler(device):
    with gp.Scheduler(device, memory="256MB") as scheduler:
        yield scheduler


class Gate:
    """Something for a task to wait at, and for a test to see that it does."""

    def __init__(self):
        self.reached = threading.Event()
        self.opened = threading.Event()

    def __call__(self, value=None):
        self.reached.set()
        assert self.opened.wait(60)
        return value


@pytest.fixture
def gate():
    gate = Gate()
    yield gate
    gate.opened.set()


@pytest.fixture
def full(scheduler, gate):
    """A scheduler of which all memory is taken until the gate opens."""
    task = scheduler.submit(gate, "first", memory="256MB")
    assert gate.reached.wait(60)
    return task


def test_a_value_comes_back_from_a_worker_thread(scheduler, device):
    def work(a, *, b):
        x = gp.ones(4) * a + b
        return threading.get_ident(), str(gp.default_device()), gp.current_stream().handle, x

    task = scheduler.submit(work, 3, kwargs={"b": 2}, memory="1MB", name="work")
    thread, name, handle, x = task.result()
    assert thread != threading.get_ident()
    assert name == device
    assert x.tolist() == [5, 5, 5, 5]
    with gp.Device(device):
        assert device == "cpu" or handle != gp.current_stream().handle
    assert (task.done(), task.running(), task.cancelled()) == (True, False, False)
    assert (task.state, task.name, task.exception()) == ("completed", "work", None)
    assert task.admission.state == "admitted"
    assert "work" in repr(task)


def test_the_signature_says_what_there_is():
    names = list(inspect.signature(gp.Scheduler.submit).parameters)
    assert names[3:-1] == [
        "kwargs", "memory", "bandwidth", "policy", "priority", "weight", "deadline", "partition",
        "evictable", "queue_timeout", "on_full", "name",
    ]  # fmt: skip


def test_exceptions_are_the_functions_own(scheduler):
    class Mine(Exception):
        pass

    def fail():
        raise Mine("on purpose")

    task = scheduler.submit(fail)
    with pytest.raises(Mine, match="on purpose") as info:
        task.result()
    assert task.exception() is info.value
    assert task.state == "failed"
    # Even those that would end a thread.
    assert isinstance(scheduler.submit(lambda: exec("raise SystemExit(3)")).exception(), SystemExit)
    assert scheduler.submit(lambda: 1).result() == 1


def test_functions_that_do_nothing_when_called_are_refused(scheduler):
    async def coroutine():
        return 1

    def generator():
        yield 1

    class Lazy:
        async def method(self):
            return 1

    for function in (coroutine, generator, Lazy().method):
        with pytest.raises(TypeError, match="does its work when called"):
            scheduler.submit(function)
    with pytest.raises(UnicodeEncodeError):
        scheduler.submit(int, name="\ud800")


def test_the_callers_context_is_the_tasks(scheduler):
    variable = contextvars.ContextVar("variable", default=0)
    variable.set(7)
    task = scheduler.submit(lambda: (variable.get(), variable.set(8)))
    assert task.result()[0] == 7
    assert variable.get() == 7


def test_what_does_not_fit_waits_until_it_does(scheduler, full, gate):
    second = scheduler.submit(lambda: "second", memory="200MB")
    answer = second.admission
    assert (answer.state, answer.position, answer.waits_for) == ("queued", 0, ["memory"])
    assert scheduler.stats(second).position == 0
    assert not second.done()
    assert second.state == "queued"
    with pytest.raises(concurrent.futures.TimeoutError):
        second.result(timeout=0)
    gate.opened.set()
    assert second.result(60) == "second"
    assert full.result() == "first"
    assert second.admission.state == "queued"


def test_what_never_fits_is_rejected_with_numbers(scheduler):
    task = scheduler.submit(lambda: 1 / 0, memory="300MB")
    answer = task.admission
    assert (answer.state, answer.asked, answer.limit) == ("rejected", 300_000_000, 256_000_000)
    with pytest.raises(gp.AdmissionRejected, match="300000000 bytes") as info:
        task.result()
    error = info.value
    assert (error.reason, error.asked, error.limit) == ("memory", 300_000_000, 256_000_000)
    assert isinstance(task.exception(), gp.AdmissionRejected)
    assert task.state == "rejected"


def test_a_task_may_rather_be_rejected_than_wait(scheduler, full):
    assert full.running()
    task = scheduler.submit(lambda: 1, memory=1, on_full="reject")
    assert task.admission.state == "rejected"
    assert task.admission.available == 0
    late = scheduler.submit(lambda: 1, memory=1, queue_timeout="1ms")
    with pytest.raises(gp.AdmissionRejected, match="waited too long for memory") as info:
        late.result(60)
    assert info.value.reason == "queue_timeout"


def test_shares_of_the_time_are_reserved_exactly(scheduler, gate):
    shares = [0.8, 0.1, 0.1, Fraction(1, 6)]
    tasks = [scheduler.submit(gate, bandwidth=share) for share in shares]
    assert [task.admission.state for task in tasks] == ["admitted"] * 3 + ["queued"]
    assert tasks[3].admission.waits_for == ["bandwidth"]
    stats = scheduler.stats()
    assert (stats.reserved_bandwidth, stats.available_bandwidth, stats.enforced) == (
        1.0,
        0.0,
        False,
    )
    assert scheduler.stats(tasks[0]).bandwidth == 0.8
    assert scheduler.stats(tasks[0]).enforced is False


def test_memory_is_charged_to_the_task(scheduler):
    def work():
        kept = gp.zeros(600_000, "uint8")
        with pytest.raises(MemoryError) as info:
            gp.zeros(400_001, "uint8")
        return kept, str(info.value), gp.Stream().handle

    task = scheduler.submit(work, memory="1MB", name="charged")
    _, message, _ = task.result()
    assert "`charged`" in message
    assert "400001 bytes" in message
    assert "reserved 1000000" in message
    stats = scheduler.stats(task)
    assert (stats.used_memory, stats.held_memory, stats.state) == (600_000, 600_000, "completed")
    assert scheduler.stats(task.id).id == task.id


def test_streams_made_in_a_task_are_charged_to_it(scheduler):
    def work():
        with gp.Stream(), pytest.raises(MemoryError):
            gp.zeros(2_000_000, "uint8")

    scheduler.submit(work, memory="1MB").result()


def test_returned_arrays_hold_memory_until_they_are_dropped(device):
    with gp.Scheduler(device, memory="1MB") as scheduler:
        first = scheduler.submit(lambda: gp.zeros(600_000, "uint8"), memory="1MB")
        kept = first.result()
        second = scheduler.submit(lambda: "ran", memory="500kB")
        assert second.admission.waits_for == ["memory"]
        assert scheduler.stats().returned_memory >= 600_000
        del first, kept
        assert second.result(60) == "ran"


def test_order_is_priority_then_deadline_then_arrival(scheduler, full, gate):
    order = []
    options = [
        {},
        {"priority": 5},
        {"deadline": timedelta(hours=2)},
        {"deadline": "1h"},
        {"deadline": 1.5, "priority": -1},
    ]
    tasks = [
        scheduler.submit(order.append, turn, memory="256MB", **option)
        for turn, option in enumerate(options)
    ]
    assert full.running()
    gate.opened.set()
    concurrent.futures.wait([task.future() for task in tasks], timeout=60)
    assert order == [1, 3, 2, 0, 4]
    assert scheduler.stats(tasks[2]).missed_deadline is False


def test_cancelling_before_the_start(scheduler, full):
    assert full.running()
    task = scheduler.submit(lambda: 1 / 0, memory="256MB")
    seen = []
    task.add_done_callback(seen.append)
    assert task.cancel()
    assert task.cancel()
    assert seen == [task]
    assert (task.cancelled(), task.done(), task.running()) == (True, True, False)
    for wait in (task.result, task.exception):
        with pytest.raises(concurrent.futures.CancelledError):
            wait()


def test_cancelling_later_stops_launches(scheduler, gate):
    def work():
        x = gp.ones(10)
        gate()
        return x + 1

    task = scheduler.submit(work, memory="1MB")
    assert gate.reached.wait(60)
    assert not task.cancel()
    assert task.running()
    gate.opened.set()
    assert isinstance(task.exception(), gp.TaskCancelled)
    assert not task.cancelled()


def test_callbacks(scheduler, gate, monkeypatch):
    import sys

    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: reported.append(args.exc_value))
    task = scheduler.submit(gate)
    seen = threading.Event()
    task.add_done_callback(lambda _: 1 / 0)
    task.add_done_callback(lambda task: task.done() and seen.set())
    gate.opened.set()
    assert seen.wait(60)
    assert isinstance(reported[0], ZeroDivisionError)
    late = []
    task.add_done_callback(late.append)
    assert late == [task]


def test_a_task_is_a_future(scheduler, full, gate):
    good, bad, never = (
        scheduler.submit(work, memory="256MB") for work in (lambda: 3, lambda: 1 / 0, lambda: None)
    )
    big = scheduler.submit(lambda: None, memory="257MB").future()
    futures = [good.future(), bad.future(), never.future()]
    assert isinstance(futures[0], concurrent.futures.Future)
    assert good.future() is futures[0]
    assert full.future().running()
    assert not full.future().cancel()
    assert never.future().cancel()
    assert never.cancelled()
    gate.opened.set()
    done, waiting = concurrent.futures.wait([*futures, big], timeout=60)
    assert (len(done), waiting) == (4, set())
    assert futures[0].result() == 3
    assert isinstance(futures[1].exception(), ZeroDivisionError)
    assert isinstance(big.exception(), gp.AdmissionRejected)
    assert full.future().result(60) == "first"


def test_await(scheduler):
    async def work():
        task = scheduler.submit(lambda: 7)
        assert await task == 7
        assert await task == 7
        with pytest.raises(ZeroDivisionError):
            await scheduler.submit(lambda: 1 / 0)
        with pytest.raises(gp.AdmissionRejected):
            await scheduler.submit(lambda: 1, memory="1GB")
        return await asyncio.gather(*(scheduler.submit(pow, 2, n) for n in range(20)))

    assert asyncio.run(work()) == [2**n for n in range(20)]


def test_cancelling_the_awaiter_cancels_the_task(scheduler, full):
    assert full.running()
    task = scheduler.submit(lambda: 1, memory="256MB")

    async def work():
        async def wait():
            await task

        waiter = asyncio.ensure_future(wait())
        await asyncio.sleep(0)
        waiter.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiter

    asyncio.run(work())
    assert task.cancelled()


def test_closing(device, gate):
    scheduler = gp.Scheduler(device)
    running = scheduler.submit(gate, "ran", memory="1kB")
    queued = scheduler.submit(lambda: 1, bandwidth=1, policy="burstable", memory=1)
    blocked = scheduler.submit(lambda: 1, bandwidth=1)
    scheduler.close(wait=False)
    scheduler.close(wait=False, cancel_pending=True)
    with pytest.raises(gp.SchedulerClosed, match="closed"):
        scheduler.submit(lambda: 1)
    gate.opened.set()
    scheduler.close()
    scheduler.close()
    assert running.result() == "ran"
    assert queued.done()
    assert blocked.done()
    assert scheduler.stats().unfinished == 0


def test_a_task_cannot_wait_for_its_own_scheduler(device):
    scheduler = gp.Scheduler(device)
    task = scheduler.submit(scheduler.close)
    with pytest.raises(ValueError, match="its own scheduler"):
        task.result(60)
    scheduler.close()


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"memroy": 1}, TypeError, "no option `memroy`.*queue_timeout"),
        ({"memory": "1mb"}, ValueError, "`1mb`"),
        ({"memory": -1}, ValueError, "`-1`"),
        ({"memory": 2**64}, ValueError, "18446744073709551616"),
        ({"memory": 1.5}, TypeError, "float"),
        ({"memory": True}, TypeError, "bool"),
        ({"memory": ("2MB", "1MB")}, ValueError, "2000000.*1000000"),
        ({"memory": (1, 2, 3)}, ValueError, "a pair has 2"),
        ({"memory": 0}, ValueError, "`memory`"),
        ({"bandwidth": float("nan")}, ValueError, "`NaN`"),
        ({"bandwidth": -0.1}, ValueError, "`-0.1`"),
        ({"bandwidth": 1.1}, ValueError, "`1.1`"),
        ({"bandwidth": (0.5, 0.2)}, ValueError, "0.5.*0.2"),
        ({"bandwidth": "half"}, TypeError, "str"),
        ({"bandwidth": Fraction(7, 6)}, ValueError, "7/6"),
        ({"policy": "garanteed"}, ValueError, "`garanteed`.*best_effort"),
        ({"policy": "guaranteed"}, ValueError, "must ask"),
        ({"policy": "guaranteed", "memory": (1, 2)}, ValueError, "1 bytes.*2 bytes"),
        ({"policy": "best_effort", "memory": 1}, ValueError, "reserves nothing"),
        ({"policy": "best_effort", "bandwidth": 0.5}, ValueError, "reserves nothing"),
        ({"weight": 0}, ValueError, "`weight` is 0"),
        ({"weight": -3}, ValueError, "-3"),
        ({"weight": 0.5}, TypeError, "float"),
        ({"priority": 2**40}, ValueError, "1099511627776"),
        ({"deadline": 0}, ValueError, "deadline"),
        ({"deadline": "soon"}, ValueError, "`soon`"),
        ({"deadline": -1}, ValueError, "-1"),
        ({"deadline": timedelta(days=-1)}, ValueError, "out of range"),
        ({"queue_timeout": "5"}, ValueError, "`5`"),
        ({"on_full": "drop"}, ValueError, "`drop`"),
        ({"partition": "llm"}, TypeError, "partition"),
        ({"kwargs": 3}, TypeError, "kwargs"),
        ({"name": 3}, TypeError, "name"),
    ],
)
def test_options_that_make_no_sense(scheduler, options, error, text):
    with pytest.raises(error, match=text):
        scheduler.submit(lambda: 1, **options)
    assert scheduler.stats().unfinished == 0


def test_other_hostile_calls(scheduler, device):
    with pytest.raises(TypeError, match="needs a function"):
        scheduler.submit(3)
    with pytest.raises(ValueError, match="no task"):
        scheduler.stats(10**9)
    with pytest.raises(TypeError, match="its id"):
        scheduler.stats("1")
    with pytest.raises(ValueError, match="1 byte"):
        gp.Scheduler(device, memory=0)
    with pytest.raises(ValueError, match="1 byte"):
        gp.Scheduler(device, memory="9999TB")
    with pytest.raises(TypeError):
        scheduler.submit(lambda: 1).add_done_callback()
    with pytest.raises(FileNotFoundError):
        gp.Scheduler(device, log="/nowhere/at/all")


def test_many_tasks_all_end(scheduler):
    def work(n):
        return (gp.full(1000, n) + 1)[0].item()

    tasks = [scheduler.submit(work, n, memory=(1 + n % 200) * 1_000_000) for n in range(300)]
    assert [task.result(60) for task in tasks] == [n + 1 for n in range(300)]


def test_statistics_are_a_dictionary_too(scheduler):
    stats = scheduler.stats()
    assert stats.as_dict()["memory_limit"] == stats.memory_limit == 256_000_000
    task = scheduler.submit(lambda: None, memory=("1MB", None), weight=3, evictable=True)
    task.result()
    of_task = scheduler.stats(task).as_dict()
    assert (of_task["memory_request"], of_task["memory_limit"]) == (1_000_000, None)
    assert (of_task["weight"], of_task["evictable"], of_task["policy"]) == (3, True, "burstable")
    assert of_task["ran"] >= 0
    assert of_task["waited"] >= 0
    with pytest.raises(AttributeError):
        stats.queued = 3


def test_a_log_is_written(device, tmp_path):
    # Other tests' tasks may still hold memory: a process of its own would be needed
    # to be sure that a log can begin, so this one says so if it cannot.
    path = tmp_path / "scheduler.log"
    import gc

    gc.collect()
    with gp.Scheduler(device, log=path, memory="1MB") as scheduler:
        scheduler.submit(lambda: None, memory="1MB", name="a b").result()
    lines = path.read_text().splitlines()
    assert lines[0].startswith("pygpukit-log 3 memory=")
    assert any(line.startswith("> ") and "name=a%20b" in line for line in lines)
    assert any(line.startswith("< start task=") for line in lines)
    assert any(" finish task=" in line for line in lines)
