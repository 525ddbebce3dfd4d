"""Tasks that wait for tasks."""

import concurrent.futures
import threading

import pytest

import pygpukit as gp


@pytest.fixture
def scheduler(device):
    with gp.Scheduler(device) as scheduler:
        yield scheduler


def test_tasks_that_wait_for_each_other_for_ever_are_told(scheduler):
    def nested(depth):
        return 0 if depth == 0 else 1 + scheduler.submit(nested, depth - 1).result()

    workers = scheduler.stats().workers
    assert scheduler.submit(nested, workers - 1).result(timeout=60) == workers - 1
    with pytest.raises(RuntimeError, match="would wait for ever"):
        scheduler.submit(nested, workers).result(timeout=60)


def test_a_task_that_waits_for_itself_is_told(scheduler):
    tasks = []
    ready = threading.Event()

    def wait_for_itself():
        ready.wait(10)
        return tasks[0].result()

    tasks.append(scheduler.submit(wait_for_itself))
    ready.set()
    with pytest.raises(RuntimeError, match="would wait for ever"):
        tasks[0].result(timeout=60)


def test_two_tasks_that_wait_for_each_other_are_told(scheduler):
    tasks = []
    ready = threading.Event()

    def wait_for(other):
        ready.wait(10)
        return tasks[other].result()

    tasks.extend(scheduler.submit(wait_for, other) for other in (1, 0))
    ready.set()
    raised = [type(task.exception(timeout=60)) for task in tasks]
    assert raised == [RuntimeError, RuntimeError]


def test_a_task_may_wait_for_memory_that_others_hold(device):
    with gp.Scheduler(device, memory="10MB") as scheduler:
        kept = scheduler.submit(gp.empty, 1_000_000, memory="4MB").result()

        def wait_for_a_large_one():
            return scheduler.submit(int, memory="8MB").result()

        waiting = scheduler.submit(wait_for_a_large_one)
        with pytest.raises(concurrent.futures.TimeoutError):
            waiting.result(timeout=0.3)
        del kept
        assert waiting.result(timeout=60) == 0

        # What it holds itself is in its own way for ever.
        with pytest.raises(RuntimeError, match="would wait for ever"):
            scheduler.submit(wait_for_a_large_one, memory="4MB").result(timeout=60)
