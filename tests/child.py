"""Running code in a Python process of its own."""

import os
import subprocess
import sys
import textwrap


def run(code, *, check=True, timeout=60, **environment):
    """Runs code; unless `check` is false it must end well and say nothing on stderr."""
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
