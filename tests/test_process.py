"""Processes: import, environment, fork, exit, Ctrl-C. Each in a child of its own."""

import os
import subprocess
import sys
import textwrap

import pytest


def run(code, *, check=True, timeout=60, **environment):
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    if check:
        assert (result.returncode, result.stderr) == (0, ""), result.stderr
    return result


def test_import_is_silent_and_brings_no_numpy():
    out = run("""
        import sys, pygpukit as gp
        gp.devices()
        print("numpy" in sys.modules, "asyncio" in sys.modules)
    """)
    assert out.stdout == "False False\n"


def test_the_top_level_module_is_the_same_object():
    run("""
        import _pygpukit_rust as rust
        import pygpukit
        from _pygpukit_rust import _pygpukit_rust as inner
        assert rust is inner is pygpukit._pygpukit_rust
        import _pygpukit_rust._pygpukit_rust as again
        assert again is rust
    """)


def test_device_of_the_environment():
    code = "import pygpukit as gp; print(gp.default_device())"
    assert run(code, PYGPUKIT_DEVICE="cpu").stdout == "cpu\n"
    bad = run(code, check=False, PYGPUKIT_DEVICE="cuda:99")
    assert bad.returncode == 1
    assert "DeviceNotAvailable" in bad.stderr
    assert "cuda:99" in bad.stderr
    typo = run(code, check=False, PYGPUKIT_DEVICE="gpu")
    assert "ValueError" in typo.stderr
    assert "`gpu`" in typo.stderr


def test_memory_of_the_cpu_device_can_be_set():
    run(
        """
        import pygpukit as gp
        assert gp.get_device_info("cpu").total_memory == 1_000_000
        gp.zeros(900_000, "uint8")
        try:
            gp.zeros(1_000_001, "uint8")
        except MemoryError as error:
            assert "1000001" in str(error) and "1000000" in str(error), error
        else:
            raise AssertionError
        """,
        PYGPUKIT_DEVICE="cpu",
        PYGPUKIT_CPU_MEMORY="1MB",
    )


@pytest.mark.parametrize("threads", ["0", "1025", "5000", "two"])
def test_a_number_of_threads_beyond_the_limit_is_refused(threads):
    code = "import pygpukit as gp; gp.ones(3, device='cpu')"
    bad = run(code, check=False, PYGPUKIT_CPU_THREADS=threads)
    assert f"ValueError: `PYGPUKIT_CPU_THREADS={threads}` is not a number" in bad.stderr
    assert "from 1 to 1024" in bad.stderr


def test_a_forked_child_uses_the_cpu_device_afresh_and_refuses_old_arrays():
    run(
        """
        import os, pygpukit as gp
        x = gp.ones(100_000) + 1
        child = os.fork()
        if child == 0:
            code = 1
            try:
                assert (gp.ones(3) + 1).tolist() == [2, 2, 2]
                try:
                    x.to_numpy()
                except gp.DeviceNotAvailable as error:
                    assert "spawn" in str(error)
                    try:
                        x += 1
                    except gp.DeviceNotAvailable:
                        del x
                        code = 0
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        assert x[0].item() == 2
        """,
        PYGPUKIT_DEVICE="cpu",
    )


def test_a_forked_child_names_spawn_however_it_uses_old_objects():
    run(
        """
        import os, pygpukit as gp
        old = gp.ones(3)
        kernel = gp.jit("__global__ void k(float* x, float* y) {}", "k")
        stream = gp.Stream("cpu")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                new = gp.ones(3)
                uses = [
                    lambda: new + old,
                    lambda: old + new,
                    lambda: new @ old,
                    lambda: gp.add(new, new, out=old),
                    lambda: new.__setitem__(..., old),
                    lambda: kernel(new, old, block=32, grid=1),
                    lambda: old.copy(),
                    lambda: repr(old),
                    stream.synchronize,
                ]
                for use in uses:
                    try:
                        use()
                    except gp.DeviceNotAvailable as error:
                        assert "'spawn'" in str(error), error
                    else:
                        raise AssertionError(uses.index(use))
                code = 0
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        """,
        PYGPUKIT_DEVICE="cpu",
    )


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


@pytest.mark.parametrize("moment", [1, 12, 60])
def test_ctrl_c_while_numpy_is_imported_leaves_numpy_whole(moment):
    out = run(
        f"""
        import os, signal, sys
        import pygpukit as gp
        class Press:
            seen = 0
            def find_spec(self, name, path=None, target=None):
                self.seen += name.split(".")[0] == "numpy"
                if self.seen == {moment}:
                    self.seen += 1
                    os.kill(os.getpid(), signal.SIGINT)
        sys.meta_path.insert(0, Press())
        try:
            gp.ones(3)
        except KeyboardInterrupt:
            print("interrupted")
        print(gp.ones(3).tolist())
        import numpy as np
        print(np.linalg.inv(np.eye(1)), np.random.default_rng(0).integers(1), np.fft.fft([1]))
        """,
        PYGPUKIT_DEVICE="cpu",
    )
    assert out.stdout == "interrupted\n[1.0, 1.0, 1.0]\n[[1.]] 0 [1.+0.j]\n"


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


def test_ctrl_c_ends_a_wait():
    out = run(
        """
        import _thread, signal, threading, time
        import pygpukit as gp
        x = gp.ones((2500, 2500), "float64")
        for _ in range(40):
            x = x @ x / 2500
        pressed = []
        def press():
            pressed.append(time.monotonic())
            signal.raise_signal(signal.SIGINT)
        timer = threading.Timer(0.1, press)
        timer.start()
        try:
            x.to_numpy()
        except KeyboardInterrupt:
            # No assertion on the time itself: the product takes seconds.
            print("interrupted")
        """,
        PYGPUKIT_DEVICE="cpu",
    )
    assert out.stdout == "interrupted\n"
