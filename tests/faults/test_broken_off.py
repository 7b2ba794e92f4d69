"""A training that was killed, or asked to stop, is named, with its update and what to do."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
import small_toy
from runs import PATIENCE

from deepmt.machines.seed_status import broken_off

RUN = "rnmt+-6-6-d64-toy.en-de-9633001d"
START = {"event": "start", "attempt": 1, "updates": 3200}
UNDER_WAY = [START, {"event": "progress", "attempt": 1, "update": 1400}]
STOPPED = {"event": "stopped", "attempt": 1, "update": 1401, "signal": ["SIGTERM"]}
END = {"event": "end", "attempt": 1, "update": 3200, "outcome": "finished"}


def said(root: Path, *events: dict[str, Any], age: float = 0.0, since: float = 60.0) -> list[str]:
    """What is said of a training with this log if everything began `since` seconds ago."""
    log = root / "results/toy/runs" / RUN / "seed1/log.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("".join(f"{json.dumps(event)}\n" for event in events))
    os.utime(log, (time.time() - age,) * 2)
    return [*broken_off(root, "toy", time.time() - since)]


@pytest.mark.parametrize("age", [0.0, 3600.0])
def test_a_training_that_ended_without_a_word_is_named(tmp_path: Path, age: float) -> None:
    [sentence] = said(tmp_path, *UNDER_WAY, age=age, since=7200.0)
    assert sentence == f"{RUN} seed 1 broke off after update 1,400 of 3,200; run again to go on"
    assert not said(tmp_path, *UNDER_WAY, age=7300.0, since=7200.0)
    assert len(said(tmp_path, START)) == 1


def test_a_training_that_was_asked_to_stop_is_named_until_it_goes_on(tmp_path: Path) -> None:
    [sentence] = said(tmp_path, *UNDER_WAY, STOPPED)
    assert f"{RUN} seed 1 was asked to stop, and saved, after update 1,401 of 3,200" in sentence
    again = START | {"attempt": 2}
    [sentence] = said(tmp_path, *UNDER_WAY, STOPPED, again)
    assert "broke off" in sentence
    assert not said(tmp_path, *UNDER_WAY, STOPPED, again, END)


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
    log = seed / "log.jsonl"
    came(lambda: log.exists() and '"checkpoint"' in log.read_text(), workflow)
    [trainer] = (
        process
        for process in psutil.Process(workflow.pid).children(recursive=True)
        if "workflow_scripts/jobs/train.py" in process.cmdline()
    )
    trainer.kill()
    text = workflow.communicate(timeout=PATIENCE)[0]
    assert workflow.returncode
    name = re.escape(f"{seed.parent.name} seed 1")
    [update] = re.findall(
        rf"^{name} broke off after update (\d+) of 1,200; run", text, re.MULTILINE
    )
    assert 4 <= int(update) < 1200
    [remedy] = re.findall(r"^A job was killed .* for memory: .*$", text, re.MULTILINE)
    assert "--resources mem_mb=" in remedy
