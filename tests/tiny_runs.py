"""Folders in which tiny runs train."""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from deepmt.cli import parse
from deepmt.config.spec import Spec
from deepmt.files import write_text
from deepmt.train.run_paths import RunPaths

SCRIPTS = Path(__file__).parents[1] / "workflow_scripts"


def script(name: str, *flags: object) -> "subprocess.Popen[str]":
    """Start one of the workflow's scripts in a process of its own."""
    command = [sys.executable, str(SCRIPTS / f"{name}.py"), *map(str, flags)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


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
    return RunPaths(
        spec=folder / "spec.json",
        dataset=dataset,
        init=folder / "init.safetensors",
        output=folder / "outcome.json",
    )


def events(run: RunPaths, kind: str) -> list[dict[str, Any]]:
    """Return the events of one kind in the log."""
    lines = (run.folder / "log.jsonl").read_text().splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == kind]
