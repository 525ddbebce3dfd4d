"""The end of the interpreter: exit code 0, and not a word. Each in a child of its own."""

import pytest

from child import run


@pytest.mark.parametrize("order", range(6))
def test_exit_with_live_objects_is_silent(order):
    run(
        f"""
        import atexit, sys, threading, itertools
        import pygpukit as gp
        device = gp.Device("cpu")
        stream = gp.Stream("cpu")
        with stream:
            x = gp.ones(1 << 20)
            for _ in range(20):
                x += 1
        view = x[::2]
        capsule = x.__dlpack__(max_version=(1, 0))
        things = [device, stream, x, view, capsule]
        kept = list(itertools.permutations(things))[{order} * 17 % 120]
        sys.modules["kept"] = kept
        atexit.register(lambda: (x + 1, view.tolist()[:1]))
        cycle = [x]
        cycle.append(cycle)
        threading.Thread(target=lambda: gp.zeros(10), daemon=True).start()
        """,
        PYGPUKIT_DEVICE="cpu",
    )


def test_arrays_at_the_end_of_the_interpreter_are_silent():
    first_use = """
        import pygpukit as gp
        class Late:
            def __del__(self):
                x = gp.ones(3)
                x += 1
                print(x[0].item())
        late = Late()
        """
    assert run(first_use, PYGPUKIT_DEVICE="cpu").stdout == "2.0\n"
    read_late = """
        import pygpukit as gp
        x = gp.ones(3)
        class Late:
            def __del__(self):
                print(x.tolist())
        late = Late()
        """
    assert run(read_late, PYGPUKIT_DEVICE="cpu").stdout == "[1.0, 1.0, 1.0]\n"


def test_numpy_is_imported_by_whoever_needs_it_first():
    # Inside an `atexit` callback some Pythons start no more threads.
    run(
        """
        import atexit
        import pygpukit as gp
        atexit.register(lambda: gp.ones(3).tolist())
        """,
        PYGPUKIT_DEVICE="cpu",
    )
    run(
        """
        import threading
        import pygpukit as gp
        threads = [threading.Thread(target=lambda: gp.asarray([1, 2])) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        """,
        PYGPUKIT_DEVICE="cpu",
    )


@pytest.mark.parametrize(
    "busy",
    [
        "time.sleep(3600)",
        "threading.Event().wait()",
        "sum(range(1000))",
        "gp.asarray([1, 2]).tolist()",
        "x @= x",
    ],
)
def test_exit_while_tasks_run_and_wait_is_silent(busy):
    run(
        f"""
        import threading, time
        import pygpukit as gp
        scheduler = gp.Scheduler(memory="100MB")
        begun = threading.Event()
        def work():
            x = gp.zeros((500, 500))
            begun.set()
            while True:
                {busy}
        running = scheduler.submit(work, memory="100MB")
        queued = [scheduler.submit(lambda: None, memory="100MB") for _ in range(3)]
        future = queued[0].future()
        queued[1].add_done_callback(lambda task: None)
        begun.wait()
        """,
        PYGPUKIT_DEVICE="cpu",
    )


def test_exit_while_threads_use_the_library_is_silent():
    run(
        """
        import threading
        import pygpukit as gp
        begun = threading.Semaphore(0)
        def work():
            begun.release()
            while True:
                repr(gp.asarray([1, 2]) + 1)
        for _ in range(3):
            threading.Thread(target=work, daemon=True).start()
        for _ in range(3):
            begun.acquire()
        """,
        PYGPUKIT_DEVICE="cpu",
    )
