"""Logs of schedulers, played again: by the function and by the command."""

import subprocess
import sys
from pathlib import Path

import pytest

import pygpukit as gp


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "decisions.log"
    with gp.Scheduler("cpu", memory="10 MB", log=path) as scheduler:
        tasks = [scheduler.submit(sum, (1, at), memory="4 MB") for at in range(5)]
        assert [task.result() for task in tasks] == [1, 2, 3, 4, 5]
        rejected = scheduler.submit(sum, (1,), memory="11 MB")
        assert rejected.admission.state == "rejected"
    return path


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pygpukit", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_a_log_replays_to_the_same_decisions(log: Path) -> None:
    replay = gp.replay(log)
    assert (replay.submitted, replay.completed, replay.rejected) == (6, 5, 1)
    assert replay.started == 5
    assert len(replay.hash) == 16
    assert gp.replay(str(log)).as_dict() == replay.as_dict()
    lines = log.read_text().splitlines()
    assert replay.decisions == sum(line.startswith("<") for line in lines)
    assert replay.events == sum(line.startswith(">") for line in lines)


def test_the_hash_is_of_the_decisions(log: Path) -> None:
    lines = log.read_text().splitlines()
    # Without its last event and what that decided, the log holds other decisions.
    last = max(at for at, line in enumerate(lines) if line.startswith(">") and "submit" in line)
    shorter = log.with_suffix(".shorter")
    shorter.write_text("\n".join(lines[:last]))
    assert gp.replay(shorter).hash != gp.replay(log).hash


def test_the_command_prints_the_hash_and_a_summary(log: Path) -> None:
    done = run("replay", log)
    assert (done.returncode, done.stderr) == (0, "")
    printed = dict(line.split(maxsplit=1) for line in done.stdout.splitlines() if line.count(" "))
    assert printed["hash"] == gp.replay(log).hash
    assert printed["completed"] == "5"


def test_a_changed_decision_is_named_by_its_line(log: Path) -> None:
    lines = log.read_text().splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("< reject"))
    lines[at] = lines[at].replace("available=", "available=1")
    log.write_text("\n".join(lines))
    with pytest.raises(ValueError, match=f"line {at + 1}"):
        gp.replay(log)
    done = run("replay", log)
    assert done.returncode == 1
    assert f"line {at + 1}" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "noise"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(ValueError, match="must begin with"):
        gp.replay(path)
    assert run("replay", path).returncode == 1
    missing = run("replay", tmp_path / "missing")
    assert missing.returncode == 1
    assert "missing" in missing.stderr
    assert run().returncode == 2
    assert run("dance").returncode == 2


def test_the_command_shows_the_configuration() -> None:
    shown = run("config").stdout.splitlines()
    assert shown[:3] == gp.config.config().splitlines()[:3]
