"""Jobs on one machine share its GPUs, and a job without the GPU it was promised says so."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tiny_runs import SCRIPTS, script

JOB = """
import os, sys, types
machine = {machine}
def device_count():
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    return machine if named is None else len(named.split(","))
sys.modules["torch"] = types.SimpleNamespace(
    __version__="0", cuda=types.SimpleNamespace(device_count=device_count),
    version=types.SimpleNamespace(cuda="0"),
)
from deepmt.train import gpus
held = gpus.acquire_gpus({count})
print(os.environ["CUDA_VISIBLE_DEVICES"], flush=True)
{then}
"""
"""Start a job on a machine with `count` invented GPUs: it takes some, names them, and computes."""


class Machine:
    """Its GPUs are invented; its processes and files are real."""

    def __init__(self, temporary: Path) -> None:
        self.environment = {k: v for k, v in os.environ.items() if k != "CUDA_VISIBLE_DEVICES"}
        self.environment |= {"TMPDIR": str(temporary), "PYTHONPATH": str(SCRIPTS)}
        self.jobs: list[subprocess.Popen[str]] = []

    def start(
        self, count: int, machine: int = 3, then: str = "sys.stdin.read()", **variables: str
    ) -> "subprocess.Popen[str]":
        """Start a job that ends when its input does."""
        program = JOB.format(machine=machine, count=count, then=then)
        job = subprocess.Popen(
            [sys.executable, "-c", program],
            env=self.environment | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.jobs.append(job)
        return job


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path)
    yield machine
    for job in machine.jobs:
        job.kill()
        job.communicate()


def taken(job: "subprocess.Popen[str]") -> str:
    """GPUs of a job, as soon as it has them."""
    assert job.stdout is not None
    return job.stdout.readline().strip()


def waits(job: "subprocess.Popen[str]") -> str:
    """What a job says that waits for GPUs."""
    assert job.stderr is not None
    return job.stderr.readline()


def test_jobs_that_start_together_never_share_a_gpu(machine: Machine) -> None:
    jobs = [machine.start(1, machine=4) for _ in range(4)]
    assert sorted(map(taken, jobs)) == ["0", "1", "2", "3"]


@pytest.mark.parametrize("how", ["kill", "terminate", "communicate"])
def test_a_gpu_is_free_again_however_its_job_ends(machine: Machine, how: str) -> None:
    first = machine.start(1, machine=1)
    assert taken(first) == "0"
    second = machine.start(1, machine=1)
    assert "--resources gpu=1" in waits(second)
    getattr(first, how)()
    assert taken(second) == "0"


def test_a_job_that_waits_for_two_keeps_none_from_others(machine: Machine) -> None:
    assert taken(machine.start(1, machine=2)) == "0"
    both = machine.start(2, machine=2)
    assert "waiting for 2 GPUs" in waits(both)
    other = machine.start(1, machine=2)
    assert taken(other) == "1"
    for job in machine.jobs:
        if job is not both:
            job.kill()
    assert taken(both) == "0,1"


def test_a_child_that_was_handed_the_files_keeps_the_gpu_of_a_killed_job(machine: Machine) -> None:
    command = ["sh", "-c", "echo child; sleep 2"]
    first = machine.start(
        1, machine=1, then=f"import subprocess; subprocess.run({command}, pass_fds=held)"
    )
    assert [taken(first), taken(first)] == ["0", "child"]
    first.kill()
    began = time.monotonic()
    assert taken(machine.start(1, machine=1)) == "0"
    assert time.monotonic() - began > 1


def test_gpus_that_a_scheduler_gave_are_taken_as_they_are(machine: Machine) -> None:
    # Where each job sees its own devices alone, all of them are called 0.
    jobs = [machine.start(1, CUDA_VISIBLE_DEVICES="0") for _ in range(2)]
    assert [taken(job) for job in jobs] == ["0", "0"]


@pytest.mark.parametrize(("count", "there"), [(1, 0), (2, 1)])
def test_a_machine_with_fewer_gpus_than_promised_is_refused_at_once(
    machine: Machine, count: int, there: int
) -> None:
    job = machine.start(count, machine=there)
    said = job.communicate(timeout=60)[1]
    assert job.returncode == 1
    assert f"needs {count} GPU" in said
    assert f"torch sees {there}" in said


def test_training_without_its_gpu_is_a_fault_and_no_outcome(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A number that no machine has: what a scheduler gives of a device that is gone.
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "99")
    flags = ["--spec", tmp_path, "--dataset", tmp_path, "--init", tmp_path, "--seed", 1]
    job = script("train", *flags, "--output", tmp_path / "outcome.json", "--gpus", 1)
    said = job.communicate()[1]
    assert job.returncode not in (0, 75)
    assert f"needs 1 GPU on {os.uname().nodename}, but torch sees 0" in said
    assert "CUDA_VISIBLE_DEVICES is 99" in said
    assert list(tmp_path.iterdir()) == []
