"""A clock that is set while training runs changes the times in the log and nothing else."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from runs import Run, assert_same_end, came, ended

HOUR = 3600.0
CACHED = 1.0
"""Seconds for which libfaketime does not look again how its clock is set."""


@pytest.fixture
def clock(tmp_path: Path) -> tuple[dict[str, str], Callable[[float], None]]:
    """Variables that give a process a clock of its own, and how to set it: hours from ours.

    As when a real clock is set, the one that measures how long things take does not jump.
    """
    library = preloaded()
    offset = tmp_path / "offset"

    def put(hours: float) -> None:
        offset.write_text(f"{hours:+.0f}h\n")

    put(0)
    return {
        "LD_PRELOAD": str(library),
        "FAKETIME_TIMESTAMP_FILE": str(offset),
        "FAKETIME_CACHE_DURATION": f"{CACHED:.0f}",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }, put


def preloaded() -> Path:
    """libfaketime, installed if that is possible."""
    if shutil.which("faketime") is None and os.geteuid() == 0 and shutil.which("apt-get"):
        install = ["apt-get", "install", "--yes", "--no-install-recommends", "faketime"]
        subprocess.run(install, capture_output=True, check=False)
    found = sorted(Path("/usr/lib").glob("**/faketime/libfaketime.so.1"))
    if not found:
        pytest.skip("libfaketime (Debian: faketime) is not installed")
    return found[0]


@pytest.mark.fault
@pytest.mark.parametrize("hours", [(30, -50), (-50, 30)], ids=["forth and back", "back and forth"])
def test_a_clock_that_jumps_changes_no_weight_and_no_duration(
    run: Run,
    unbroken: Run,
    clock: tuple[dict[str, str], Callable[[float], None]],
    hours: tuple[float, float],
) -> None:
    variables, put = clock
    began = time.monotonic()
    process = run.train(environment=variables)
    for jump in hours:
        assert came(run, process, "checkpoint", 2)
        process.send_signal(signal.SIGSTOP)
        put(jump)
        time.sleep(1.2 * CACHED)
        process.send_signal(signal.SIGCONT)
    status, said = ended(process)
    took = time.monotonic() - began
    assert status == 0, said
    assert ended(run.average())[0] == 0
    assert_same_end(run, unbroken)
    off = [event["time"] - time.time() for event in run.events("checkpoint")]
    assert {round(each / HOUR) for each in off} == {0, *hours}
    assert 0 < run.outcome["train_seconds"] < took
    assert all(-1 < event.get("seconds", 0) < took for event in run.events())
