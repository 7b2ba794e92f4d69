"""Several workers make the updates of one."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from torch.distributed.run import get_args_parser

from deepmt.train.run_paths import RunPaths
from deepmt.train.workers import launch
from tiny import tiny_spec
from tiny_runs import new_run, script
from train import Args, main


def start(where: RunPaths, workers: int) -> "subprocess.Popen[str]":
    flags = ["--spec", where.spec, "--dataset", where.dataset, "--init", where.init]
    flags += ["--seed", 1, "--output", where.folder / "outcome.json", "--workers", workers]
    return script("train", *flags)


@pytest.mark.slow
def test_workers_that_are_asked_to_stop_save_and_ask_to_be_run_again(
    tmp_path: Path, dataset: Path
) -> None:
    spec = tiny_spec(training__updates=100_000, training__checkpoint_every=10)
    where = new_run(tmp_path / "run", dataset, spec)
    process = start(where, 2)
    log = where.folder / "log.jsonl"
    while process.poll() is None and not (log.exists() and '"checkpoint"' in log.read_text()):
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 75, said
    assert "run again to resume" in said
    assert not (where.folder / "outcome.json").exists()


def test_torchrun_leaves_workers_the_time_to_save_that_clusters_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    launched: list[list[str]] = []

    class Launched:
        def __init__(self, command: list[str], **_: object) -> None:
            launched.append(command)

        def wait(self) -> int:
            return 0

    monkeypatch.setattr("subprocess.Popen", Launched)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    launch(["train.py", "--seed", "1"], 2)
    _, module, *flags = launched[0][1:]
    understood = get_args_parser().parse_args(flags)
    assert module == "torch.distributed.run"
    assert 100 < understood.shutdown_timeout < 120
    assert understood.training_script_args == ["--seed", "1"]


@pytest.mark.parametrize(("new", "status"), [([], 1), (["start"], 1), (["start", "stopped"], 75)])
def test_only_this_launch_was_asked_to_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new: list[str], status: int
) -> None:
    log = tmp_path / "log.jsonl"

    def append(kinds: list[str]) -> None:
        with log.open("a") as file:
            file.writelines(json.dumps({"event": kind}) + "\n" for kind in kinds)

    def launched(*_: object) -> int:
        append(new)
        return 1

    append(["start", "stopped"])
    monkeypatch.setattr("train.launch", launched)
    nowhere = tmp_path / "nowhere"
    files = {"spec": nowhere, "dataset": nowhere, "init": nowhere}
    assert main(Args(**files, seed=1, output=tmp_path / "outcome.json", workers=2)) == status
