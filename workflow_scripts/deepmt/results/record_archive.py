"""The files of a scale on the shelf in git: <scale>.jsonl, <scale>.2.jsonl and so on, all small."""

import json
from pathlib import Path
from typing import Any

LARGEST = 400_000
"""Bytes of a file, beyond which the next one is begun."""

Key = tuple[Any, Any]
"""Run and seed: there is one line of each."""


def scale_of(path: Path) -> str:
    """The scale that a file's records must be of."""
    return path.name.partition(".")[0]


def parts(folder: Path, scale: str) -> list[Path]:
    """The files of a scale that are there, in the order in which they were begun."""
    found = [path for path in folder.glob("*.jsonl") if scale_of(path) == scale]
    return sorted(found, key=lambda path: (len(path.name), path.name))


def part_with_room(folder: Path, scale: str) -> Path:
    """The file that a new line goes to."""
    there = parts(folder, scale)
    if not there:
        return folder / f"{scale}.jsonl"
    if there[-1].stat().st_size < LARGEST:
        return there[-1]
    return folder / f"{scale}.{len(there) + 1}.jsonl"


def lines_of(path: Path) -> list[str]:
    """Its lines, none if it is not there."""
    return path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []


def key(line: str) -> Key:
    """What there is one line of."""
    value = json.loads(line)
    return value["run"], value["seed"]


def one_line(value: Any) -> str:
    """A record or a course as the shelf holds it; NaN is refused."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
