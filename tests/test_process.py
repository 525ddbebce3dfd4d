"""Processes: import, environment, fork. Each in a child of its own."""

import pytest

from child import run


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


def test_an_unknown_allocator_is_refused():
    code = "import pygpukit as gp; gp.ones(3, device='cpu')"
    bad = run(code, check=False, PYGPUKIT_ALLOCATOR="abc")
    assert "ValueError: `PYGPUKIT_ALLOCATOR=abc`" in bad.stderr
    assert "use `cached` or `direct`" in bad.stderr


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


def test_a_forked_child_refuses_the_schedulers_of_its_parent():
    run(
        """
        import os, sys, threading, time
        import pygpukit as gp
        scheduler = gp.Scheduler(memory="1MB")
        begun, go = threading.Event(), threading.Event()
        def wait():
            begun.set()
            go.wait()
            return 5
        running = scheduler.submit(wait, memory="1MB")
        queued = scheduler.submit(lambda: 6, memory="1MB")
        begun.wait()
        child = os.fork()
        if child == 0:
            for use in (
                lambda: scheduler.submit(lambda: 1),
                scheduler.stats,
                lambda: scheduler.stats(queued),
                lambda: running.result(1),
                lambda: queued.exception(1),
                queued.cancel,
                scheduler.close,
            ):
                try:
                    use()
                except gp.DeviceNotAvailable as error:
                    assert "'spawn'" in str(error), error
                else:
                    raise AssertionError
            assert gp.Scheduler().submit(lambda: gp.ones(2).tolist()).result(30) == [1, 1]
            # The ordinary end, with the parent's scheduler alive.
            sys.exit(0)
        assert os.waitpid(child, 0)[1] == 0
        go.set()
        assert (running.result(), queued.result()) == (5, 6)
        """,
        PYGPUKIT_DEVICE="cpu",
    )


def test_a_child_forked_while_a_kernel_is_compiled_does_not_wait_for_ever():
    run("""
        import os, signal, threading, time, warnings
        import pygpukit as gp

        warnings.simplefilter("ignore", DeprecationWarning)
        # Compiling takes long enough that the fork comes in the middle.
        lines = "".join(f"x[{at}] = x[{at}] * {at}.5f + 1;" for at in range(1000))
        source = 'extern "C" __global__ void k(float* x) { ' + lines + " }"
        kernel = gp.jit(source, func="k")
        gp.jit('extern "C" __global__ void warm() {}', func="warm").compile(arch="sm_90")
        thread = threading.Thread(target=kernel.compile, kwargs={"arch": "sm_90"})
        thread.start()
        time.sleep(0.02)
        assert thread.is_alive()
        pid = os.fork()
        if pid == 0:
            signal.alarm(20)
            try:
                kernel.compile(arch="sm_90")
            except gp.UnsupportedError as error:
                os._exit(0 if "spawn" in str(error) else 2)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        thread.join()
    """)
