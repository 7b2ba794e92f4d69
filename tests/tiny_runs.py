"""Tiny runs: their folders, and training in this process or another."""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from safetensors.torch import load_file
from torch import Tensor

from deepmt.cli import parse
from deepmt.config.spec import Spec
from deepmt.files import write_text
from deepmt.train.execution import ExecutionConfig
from deepmt.train.run import train
from deepmt.train.run_paths import RunPaths

SCRIPTS = Path(__file__).parents[1] / "workflow_scripts"


def script(name: str, *flags: object) -> "subprocess.Popen[str]":
    """Start one of the workflow's scripts in a process of its own."""
    command = [sys.executable, str(SCRIPTS / f"{name}.py"), *map(str, flags)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def kill_halfway(partial: Path, name: str, *flags: object) -> None:
    """Kill a script after three lines at least; again where it was faster than the signal."""
    while not partial.exists():
        process = script(name, *flags)
        while process.poll() is None:
            if partial.exists() and partial.read_text().count("\n") >= 4:
                break
        process.kill()
        process.communicate()


def run_here(name: str, *flags: object) -> None:
    """Run one of the workflow's scripts in this process, where torch is loaded already."""
    module = importlib.import_module(name)
    module.main(parse(module.Args, [*map(str, flags)]))


def new_run(folder: Path, dataset: Path, spec: Spec) -> RunPaths:
    """Make a folder with spec and first weights."""
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "spec.json", json.dumps(spec.sections))
    flags = ["--spec", folder / "spec.json", "--dataset", dataset, "--seed", 1]
    flags += ["--output", folder / "init.safetensors", "--profile", folder / "profile.json"]
    run_here("initialise", *flags)
    files = {"spec": "spec.json", "init": "init.safetensors", "output": "outcome.json"}
    return RunPaths(dataset=dataset, **{key: folder / name for key, name in files.items()})


def trained(run: RunPaths, how: ExecutionConfig | None = None, **options: Any) -> dict[str, Any]:
    """Train a run in this process; return its outcome."""
    train(run, seed=1, execution=how or ExecutionConfig(), **options)
    return json.loads(run.output.read_text())


def last_weights(run: RunPaths) -> dict[str, Tensor]:
    """Return the weights of the last checkpoint."""
    return load_file(max((run.folder / "resume").glob("weights-*")))


def apart(*runs: RunPaths) -> float:
    """Return the largest difference between the last weights of two runs."""
    ours, theirs = map(last_weights, runs)
    return max((ours[name] - theirs[name]).abs().max().item() for name in ours)


def events(run: RunPaths, kind: str) -> list[dict[str, Any]]:
    """Return the events of one kind in the log."""
    lines = (run.folder / "log.jsonl").read_text().splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == kind]
