"""A training that was killed, or asked to stop, is named, with its update and what to do."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
import small_toy
from runs import PATIENCE

from deepmt.machines.broken_off import broken_off

SEED = "results/toy/runs/rnmt+-6-6-d64-toy.en-de-9633001d/seed1"
SLURM_LOG = ".snakemake/slurm_logs/rule_train/7.log"
LOGGED = f"""rule train:
    output: {SEED}/outcome.json
    log: logs/train/toy/run.log
    resources: mem_mb=1650, mem_mib=1574, gpu=0
Command 'set -euo pipefail;  exec train.py --output {SEED}/outcome.json --seed 1' STATUS.
[Fri Nov 27 15:46:30 2026]
Error in rule train:
    message: MESSAGE
    jobid: 3
    output: {SEED}/outcome.json
    log: logs/train/toy/run.log, {SLURM_LOG} (check log file(s) for error details)
Shutting down, this might take some time.
"""
FAULT = {
    "STATUS": "returned non-zero exit status 1",
    "MESSAGE": "None",
    "logs/train/toy/run.log": "run: update 7, loss is nan",
    SLURM_LOG: "Exiting because a job execution failed.",
}
"""An error of the training, which nobody killed."""


def attempt(**how: str) -> str:
    """What Snakemake logs of one job."""
    said = LOGGED
    for name, value in (FAULT | how).items():
        said = said.replace(name, value) if name.isupper() else said
    return said


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project in which a training began."""
    for name in (f"{SEED}/log.jsonl", "logs/train/toy/run.log", SLURM_LOG):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(FAULT.get(name, ""))
    return tmp_path


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("STATUS", "died with <Signals.SIGKILL: 9>"),
        ("STATUS", "returned non-zero exit status 137"),
        ("MESSAGE", "SLURM-job '7' failed, SLURM status is: 'OUT_OF_MEMORY'"),
        ("logs/train/toy/run.log", "traceback : Signal 9 (SIGKILL) received by PID 31"),
        (SLURM_LOG, "slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch."),
    ],
    ids=["job", "container", "cluster", "worker", "log of a cluster"],
)
def test_a_kill_is_found_wherever_it_is_said(folder: Path, where: str, says: str) -> None:
    assert not [*broken_off(attempt(), folder)]
    if where.isupper():
        said = attempt(**{where: says})
    else:
        (folder / where).write_text(says)
        said = attempt()
    [sentence] = broken_off(said, folder)
    assert "seed 1 was killed (SIGKILL, exit 137), most often for memory" in sentence
    assert "asked for 1,650 MB; run again" in sentence


def test_the_last_job_of_a_training_counts(folder: Path) -> None:
    killed = attempt(STATUS="died with <Signals.SIGKILL: 9>")
    assert not [*broken_off(killed + attempt(), folder)]
    assert len([*broken_off(attempt() + killed, folder)]) == 1
    (folder / SEED / "outcome.json").touch()
    assert not [*broken_off(killed, folder)]


EVENTS = [
    {"event": "start", "attempt": 1, "updates": 3200},
    {"event": "progress", "attempt": 1, "update": 1400},
    {"event": "stopped", "attempt": 1, "update": 1401, "signal": ["SIGTERM"]},
]


def test_a_training_that_was_asked_to_stop_is_named_until_it_goes_on(folder: Path) -> None:
    failed = attempt(MESSAGE="SLURM-job '7' failed, SLURM status is: 'FAILED'")
    log = folder / SEED / "log.jsonl"
    log.write_text("".join(f"{json.dumps(event)}\n" for event in EVENTS))
    assert [*broken_off(failed, folder)] == [
        f"{Path(SEED).parent.name} seed 1 was asked to stop, and saved, after update 1,401 of"
        " 3,200; run again to go on"
    ]
    [killed] = broken_off(attempt(STATUS="died with <Signals.SIGKILL: 9>"), folder)
    assert "was killed" in killed
    with log.open("a") as file:
        file.write(f"{json.dumps(EVENTS[0] | {'attempt': 2})}\n")
    assert not [*broken_off(failed, folder)]
    log.write_text("".join(f"{json.dumps(event)}\n" for event in EVENTS))
    (folder / SEED / "outcome.json").touch()
    assert not [*broken_off(failed, folder)]


def came(found: Callable[[], object], process: "subprocess.Popen[str]") -> None:
    """Wait for something that a process brings."""
    until = time.monotonic() + PATIENCE
    while not found():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.slow
def test_snakemake_ends_with_a_sentence_on_a_training_that_was_killed(tmp_path: Path) -> None:
    root = small_toy.make(tmp_path)
    (root / ".venv").symlink_to(sys.prefix)
    scale = root / "scales/toy.yaml"
    scale.write_text(
        scale.read_text().replace("training.updates: 12\n", "training.updates: 1200\n")
    )
    seed = small_toy.only_seed(root)
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--config", "papers=unified"]
    command += [f"rows={small_toy.ROW}", "seeds=1", "--", f"{seed.relative_to(root)}/outcome.json"]
    workflow = subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    came(lambda: [*seed.glob("resume/state-*")], workflow)
    [trainer] = (
        process
        for process in psutil.Process(workflow.pid).children(recursive=True)
        if "workflow_scripts/jobs/train.py" in process.cmdline()
    )
    trainer.kill()
    said = workflow.communicate(timeout=PATIENCE)[0]
    assert workflow.returncode
    [sentence] = re.findall(r"^.* was killed .*$", said, re.MULTILINE)
    assert sentence.startswith(f"{seed.parent.name} seed 1 was killed (SIGKILL, exit 137)")
    [update, held] = re.findall(r"after update (\d+) of 1,200: .* held ([\d,]+) MB; ", sentence)[0]
    assert 4 <= int(update) < 1200
    assert int(held.replace(",", "")) > 100
    assert "--resources mem_mb=" in sentence
