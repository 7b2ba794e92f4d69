"""Folders in which tiny runs train."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from deepmt.config.spec import Spec
from deepmt.files import write_text
from deepmt.train.run import Place

SCRIPTS = Path(__file__).parents[1] / "workflow_scripts"


def script(name: str, *flags: object) -> "subprocess.Popen[str]":
    """Start one of the workflow's scripts."""
    command = [sys.executable, str(SCRIPTS / f"{name}.py"), *map(str, flags)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def place(folder: Path, encoding: Path, spec: Spec) -> Place:
    """A new folder with spec and first weights."""
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "spec.json", json.dumps(spec.sections))
    flags = ["--spec", folder / "spec.json", "--encoding", encoding, "--seed", 1]
    flags += ["--output", folder / "init.safetensors", "--profile", folder / "profile.json"]
    assert script("initialise", *flags).wait() == 0
    return Place(
        spec=folder / "spec.json",
        encoding=encoding,
        init=folder / "init.safetensors",
        folder=folder,
    )


def events(where: Place, kind: str) -> list[dict[str, Any]]:
    """What the log says of one kind."""
    lines = (where.folder / "log.jsonl").read_text().splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == kind]
