"""`make` goes on after a kill of its process group, at whatever moment."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest
import small_toy
from runs import PATIENCE, random_moments

from projects import ROOT


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The toy scale in seconds, of one row, with `make` and an environment."""
    root = small_toy.make(tmp_path)
    config = (root / "config.yaml").read_text()
    settings = {"papers: all": "papers: unified", "rows: headline": f"rows: {small_toy.ROW}"}
    for old, new in settings.items():
        assert old in config
        config = config.replace(old, new)
    (root / "config.yaml").write_text(config)
    for name in ("Makefile", "requirements.lock"):
        shutil.copy(ROOT / name, root)
    (root / "profiles").symlink_to(ROOT / "profiles")
    (root / ".venv").symlink_to(sys.prefix)
    return root


def make(root: Path) -> "subprocess.Popen[str]":
    """Type `make`; the environment counts as ready."""
    return subprocess.Popen(
        ["make", "-o", ".venv/.ready", "CORES=2"],
        cwd=root,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={key: value for key, value in os.environ.items() if not key.startswith("MAKE")},
    )


def kill(root: Path, seconds: float) -> None:
    """Type `make`, and kill its process group, which Snakemake and its jobs are part of.

    It may have nothing left to do.
    """
    process, until = make(root), time.monotonic() + PATIENCE
    while not [*root.glob(".snakemake/locks/*.lock")]:
        if process.poll() is not None:
            said = process.communicate()[0]
            assert process.returncode == 0, said
            assert "Nothing to be done" in said
            return
        assert time.monotonic() < until
        time.sleep(0.01)
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def finish(root: Path) -> str:
    """Type `make`, and return what it says; it must make everything."""
    process = make(root)
    said = process.communicate(timeout=PATIENCE)[0]
    assert process.returncode == 0, said
    assert (root / "results/toy/report.html").exists()
    assert (small_toy.only_seed(root) / "record.json").exists()
    return said


@pytest.mark.slow
@pytest.mark.parametrize("kills", [1, pytest.param(8, marks=pytest.mark.fault)])
def test_make_goes_on_after_a_kill_of_its_process_group(project: Path, kills: int) -> None:
    reached, lost = 0, 0
    for moment in islice(random_moments(), kills):
        kill(project, 12 * moment)
        states = [int(path.name.split("-")[1]) for path in project.rglob("resume/state-*")]
        lost += max(states, default=0) < reached
        reached = max(states, default=reached)
    locked = any(project.glob(".snakemake/locks/*.lock"))
    assert ("unlocked: make was killed here" in finish(project)) == locked
    assert not lost
    assert locked or kills > 1


@pytest.mark.slow
def test_make_does_not_unlock_what_another_host_may_use(project: Path) -> None:
    kill(project, seconds=0)
    marker = project / ".snakemake/locks/make"
    assert marker.read_text() == f"{socket.gethostname()}\n"
    marker.write_text("another.host\n")
    refused = make(project)
    assert "--unlock" in refused.communicate(timeout=PATIENCE)[0]
    assert refused.returncode
    small_toy.done(project, "--unlock")
    assert not any(project.glob(".snakemake/locks/*.lock"))


@pytest.mark.slow
def test_make_does_not_unlock_what_another_command_may_use(project: Path) -> None:
    kill(project, seconds=0)
    held = {path: path.read_bytes() for path in project.glob(".snakemake/locks/*.lock")}
    small_toy.done(project, "--unlock")
    small_toy.done(project, "-n")
    for lock, content in held.items():
        lock.write_bytes(content)
    refused = make(project)
    assert "--unlock" in refused.communicate(timeout=PATIENCE)[0]
    assert refused.returncode
    assert all(lock.exists() for lock in held)


@pytest.mark.slow
def test_two_makes_do_not_run_in_one_folder(project: Path) -> None:
    first = make(project)
    until = time.monotonic() + PATIENCE
    while not (project / ".snakemake/make").exists():
        assert time.monotonic() < until
        time.sleep(0.01)
    time.sleep(0.5)
    second = make(project)
    assert "another make runs in this folder" in second.communicate(timeout=PATIENCE)[0]
    assert second.returncode
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()


@pytest.mark.slow
def test_what_is_stopped_by_ctrl_c_leaves_nothing_to_unlock(project: Path) -> None:
    """Or else the next `make` could unlock what another command has locked since."""
    stopped, marker = make(project), project / ".snakemake/locks/make"
    until = time.monotonic() + PATIENCE
    while not marker.exists():
        assert time.monotonic() < until
        time.sleep(0.01)
    time.sleep(0.5)
    os.killpg(stopped.pid, signal.SIGINT)
    stopped.communicate(timeout=PATIENCE)
    assert stopped.returncode
    assert not marker.exists()
