"""Jobs on one machine share its GPUs, and a job without the GPU it was promised says so."""

import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from deepmt.base.errors import UserError
from deepmt.train import gpus
from tiny_runs import script


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return what sets the number of invented GPUs; each job of a test opens its own files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.delenv(gpus.VISIBLE, raising=False)

    def has(count: int) -> None:
        every = ",".join(map(str, range(count)))
        names = partial(os.environ.get, gpus.VISIBLE, every)
        monkeypatch.setattr(gpus, "gpu_count", lambda: len(names().split(",")))

    return has


def test_jobs_take_free_gpus_alone_and_hide_the_others(machine: Callable[[int], None]) -> None:
    machine(3)
    taken = []
    for count in (1, 2):
        assert len(gpus.acquire_gpus(count)) == count
        taken.append(os.environ.pop(gpus.VISIBLE))
    assert taken == ["0", "1,2"]


def test_a_job_that_waits_for_two_keeps_none_from_others(
    capfd: pytest.CaptureFixture[str],
) -> None:
    [held] = gpus.lock(["0", "1"], 1).values()
    with ThreadPoolExecutor() as pool:
        both = pool.submit(gpus.lock, ["0", "1"], 2)
        while not (said := capfd.readouterr().err):
            time.sleep(0.01)
        assert "waiting for 2 GPUs" in said
        assert "--resources gpu=2" in said
        [(name, other)] = pool.submit(gpus.lock, ["0", "1"], 1).result().items()
        assert name == "1"
        for file in (held, other):
            os.close(file)
        assert list(both.result()) == ["0", "1"]


def test_a_child_that_was_handed_the_files_keeps_the_gpu_of_a_killed_job() -> None:
    [file] = gpus.lock(["0"], 1).values()
    began = time.monotonic()
    with subprocess.Popen(["sleep", "2"], pass_fds=[file]):
        os.close(file)  # as the kernel does it of a job that is killed
        assert list(gpus.lock(["0"], 1)) == ["0"]
    assert time.monotonic() - began > 1.5


def test_gpus_that_a_scheduler_gave_are_taken_as_they_are(
    machine: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where each job sees its own devices alone, all of them are called 0.
    machine(1)
    monkeypatch.setenv(gpus.VISIBLE, "0")
    assert gpus.acquire_gpus(1) == gpus.acquire_gpus(1) == ()
    assert os.environ[gpus.VISIBLE] == "0"


def test_a_machine_with_fewer_gpus_than_promised_is_refused_at_once(
    machine: Callable[[int], None],
) -> None:
    machine(1)
    with pytest.raises(UserError, match=r"needs 2 GPUs on .* torch sees 1"):
        gpus.acquire_gpus(2)


def test_training_without_its_gpu_is_a_fault_and_no_outcome(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A number that no machine has: what a scheduler gives of a device that is gone.
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "99")
    flags = ["--spec", tmp_path, "--dataset", tmp_path, "--init", tmp_path, "--seed", 1]
    job = script("jobs.train", *flags, "--output", tmp_path / "outcome.json", "--gpus", 1)
    said = job.communicate()[1]
    assert job.returncode not in (0, 75)
    assert f"needs 1 GPU on {os.uname().nodename}, but torch sees 0" in said
    assert "CUDA_VISIBLE_DEVICES is 99" in said
    assert list(tmp_path.iterdir()) == []
