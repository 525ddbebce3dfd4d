"""Ctrl-C: what takes long is broken off, and nothing breaks. Each in a child of its own.

No test looks at the clock. A timer of the system presses the key, so that it comes while
the call is under way however slow the machine; then each looks at what was left undone.
"""

import pytest

from child import run

PRESS = """
import signal
import pygpukit as gp

def press_soon(press=signal.default_int_handler):
    signal.signal(signal.SIGALRM, press)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
"""


def press_while(code):
    return run(PRESS + code, PYGPUKIT_DEVICE="cpu").stdout


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


def test_ctrl_c_breaks_off_a_copy_to_the_host():
    out = press_while("""
import numpy as np
x = gp.ones(1 << 28, "uint8")
gp.current_stream().synchronize()
host = np.zeros(x.shape, "uint8")
press_soon()
try:
    x.to_numpy(out=host)
except KeyboardInterrupt:
    print("interrupted, last byte", host[-1])
""")
    assert out == "interrupted, last byte 0\n"


def test_signals_are_handled_during_a_copy_from_the_host():
    out = press_while("""
import numpy as np
host = np.zeros(1 << 29, "uint8")
# What the handler writes is in the copy, if it runs before the copy has come so far.
press_soon(lambda *_: host.__setitem__(-1, 7))
print(gp.from_numpy(host)[-1].item())
""")
    assert out == "7\n"


def test_ctrl_c_ends_the_wait_for_work_on_shared_memory():
    out = press_while("""
import numpy as np
x = gp.ones((3000, 3000), "float64")
shared = np.from_dlpack(x)
press_soon()
try:
    x @ x
except KeyboardInterrupt:
    print("interrupted, work done:", gp.current_stream().done)
""")
    assert out == "interrupted, work done: False\n"


HUGE_KERNEL = """
import os
from pathlib import Path
functions = range(60)
source = "".join(
    f"__device__ float f{i}(float x) {{ return sinf(x * {i}) * powf(x, {i}) + cosf(x + {i}); }}"
    for i in functions
)
calls = "".join(f"x[{i}] = f{i}(f{i}(x[{i}]));" for i in functions)
kernel = gp.jit(source + "__global__ void k(float* x) {" + calls + "}", "k")

def is_compiling():
    threads = Path("/proc/self/task").glob("*/comm")
    return any(name.read_text() == "pygpukit-apart\\n" for name in threads)
"""


@pytest.mark.parametrize(
    "call",
    ["kernel.compile('sm_90')", "kernel(gp.ones(60), grid=1, block=1)"],
)
def test_ctrl_c_ends_the_wait_for_the_compiler_and_so_does_the_end(call):
    # The process ends, in silence, while the compiler is still at work.
    out = press_while(
        HUGE_KERNEL
        + f"""
gp.ones(1)
press_soon()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted, compiling:", is_compiling())
"""
    )
    assert out == "interrupted, compiling: True\n"


@pytest.mark.parametrize("wait", ["task.result()", "queued.exception()", "scheduler.close()"])
def test_ctrl_c_ends_the_wait_for_a_task(wait):
    out = press_while(f"""
import threading
scheduler = gp.Scheduler(memory="1MB")
begun = threading.Event()
def work():
    begun.set()
    threading.Event().wait()
task = scheduler.submit(work, memory="1MB")
queued = scheduler.submit(work, memory="1MB")
begun.wait()
press_soon()
try:
    {wait}
except KeyboardInterrupt:
    print("interrupted", task.running(), queued.running())
""")
    assert out == "interrupted True False\n"
