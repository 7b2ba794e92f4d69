"""Folders in which tiny runs train."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from deepmt.config.spec import Spec
from deepmt.files import write_text
from deepmt.train.run_paths import RunPaths

SCRIPTS = Path(__file__).parents[1] / "workflow_scripts"


def script(name: str, *flags: object) -> "subprocess.Popen[str]":
    """Start one of the workflow's scripts."""
    command = [sys.executable, str(SCRIPTS / f"{name}.py"), *map(str, flags)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def new_run(folder: Path, encoding: Path, spec: Spec) -> RunPaths:
    """Make a folder with spec and first weights."""
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "spec.json", json.dumps(spec.sections))
    flags = ["--spec", folder / "spec.json", "--encoding", encoding, "--seed", 1]
    flags += ["--output", folder / "init.safetensors", "--profile", folder / "profile.json"]
    assert script("initialise", *flags).wait() == 0
    return RunPaths(
        spec=folder / "spec.json",
        encoding=encoding,
        init=folder / "init.safetensors",
        folder=folder,
    )


def events(run: RunPaths, kind: str) -> list[dict[str, Any]]:
    """Return the events of one kind in the log."""
    lines = (run.folder / "log.jsonl").read_text().splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == kind]
