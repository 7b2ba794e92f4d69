"""The files of a scale in the archive: <scale>.jsonl, <scale>.2.jsonl and so on, all small."""

import json
from pathlib import Path
from typing import Any

from deepmt.files import write_text

LARGEST = 400_000
"""Bytes of a file; once it is larger, the next one is begun."""


def scale_of(path: Path) -> str:
    """Return the scale that all lines of a file must be of."""
    return path.name.partition(".")[0]


def parts(folder: Path, scale: str) -> list[Path]:
    """Return the files of a scale that are there, in the order in which they were begun."""
    found = [path for path in folder.glob("*.jsonl") if scale_of(path) == scale]
    return sorted(found, key=lambda path: (len(path.name), path.name))


def lines_of(path: Path) -> list[str]:
    """Return the lines of a file, none if it is not there."""
    return path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []


def replace_line(folder: Path, scale: str, run: str, seed: int, value: Any) -> None:
    """Put a seed's object, if it has one, in the place of what the archive holds of the seed."""
    for path in parts(folder, scale):
        lines = lines_of(path)
        kept = [line for line in lines if _seed_of(line) != (run, seed)]
        if len(kept) < len(lines):
            _write(path, kept)
    if value is not None:
        path = _part_with_room(folder, scale)
        line = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
        _write(path, [*lines_of(path), line])


def _seed_of(line: str) -> tuple[Any, Any]:
    value = json.loads(line)
    return value["run"], value["seed"]


def _part_with_room(folder: Path, scale: str) -> Path:
    there = parts(folder, scale)
    if there and there[-1].stat().st_size < LARGEST:
        return there[-1]
    return folder / (f"{scale}.{len(there) + 1}.jsonl" if there else f"{scale}.jsonl")


def _write(path: Path, lines: list[str]) -> None:
    write_text(path, "".join(f"{line}\n" for line in sorted(lines)))
