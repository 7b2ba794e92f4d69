"""Read and write the archive of a scale: small files <scale>.jsonl, <scale>.2.jsonl, etc."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deepmt.base.errors import UserError
from deepmt.base.files import (
    OWN_HASH,
    check_hashes,
    hashes_of,
    read_json,
    with_own_hash,
    write_hashed_json,
    write_text,
)

HASHES = "hashes.json"
"""File with the hashes of the archive's other files."""
FROM_GIT = "take it back from git (`./deepmt archive` adds missing hashes)"
MAX_BYTES = 400_000
"""Size of a file that no line exceeds, unless it is longer itself: then the next one is started."""


def scale_of(path: Path) -> str:
    """Return the scale that all lines of a file must have."""
    return path.name.partition(".")[0]


def parts(folder: Path, scale: str) -> list[Path]:
    """Return the existing files of a scale, in the order in which they were started."""
    found = [path for path in folder.glob("*.jsonl") if scale_of(path) == scale]
    return sorted(found, key=lambda path: (len(path.name), path.name))


def lines_of(path: Path) -> list[str]:
    """Return the lines of a file; empty if there is no file."""
    return path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []


def archived_runs(folder: Path, scale: str, seed: int) -> set[str]:
    """Return the runs of a scale that the archive holds with this seed.

    Raises ValueError if a line is damaged; names it.
    """
    return {run for path in parts(folder, scale) for run, of in _seeds(path) if of == seed}


def replace_line(
    folder: Path, scale: str, run: str, seed: int, value: Mapping[str, Any] | None
) -> None:
    """Replace a seed's line in the archive by `value`; remove it if `value` is None.

    The new line is written before an old one in another file is removed.

    Raises ValueError, and changes nothing, if a line is damaged.
    """
    others = {
        path: [
            line
            for line, found in zip(lines_of(path), _seeds(path), strict=True)
            if found != (run, seed)
        ]
        for path in parts(folder, scale)
    }
    had = [path for path, kept in others.items() if len(kept) < len(lines_of(path))]
    if value is not None:
        line = _hashed(value)
        target = had[0] if had else _part_with_room(folder, scale, len(line))
        _write(target, [*others.get(target, ()), line])
        had = had[1:]
    for path in had:
        _write(path, others[path])


def archived_file(folder: Path, name: str) -> Path:
    """Return the path of a file of the archive that is not of one scale, e.g. speed.csv.

    Raises ValueError if it does not have its hash in hashes.json.
    """
    hashes = read_json(folder / HASHES, FROM_GIT)["sha256"]
    check_hashes(folder, {name: hashes.get(name)}, FROM_GIT)
    return folder / name


def measured_file(results: Path, archive: Path, name: str) -> Path | None:
    """Return the path of a file measured here, e.g. speed.csv, or else archived; None without."""
    if (results / name).exists():
        return results / name
    return archived_file(archive, name) if (archive / name).exists() else None


def add_hashes(folder: Path) -> None:
    """Add its hash to each line that has none, and list the hashes of the CSV files."""
    for path in folder.rglob("*.jsonl"):
        lines = lines_of(path)
        values = list(map(json.loads, lines))
        if any(OWN_HASH not in value for value in values):
            pairs = zip(lines, values, strict=True)
            _write(path, [line if OWN_HASH in value else _hashed(value) for line, value in pairs])
    write_hashed_json(folder / HASHES, {"sha256": hashes_of(folder, "**/*.csv")})


def _hashed(value: Mapping[str, Any]) -> str:
    return json.dumps(with_own_hash(value), sort_keys=True, separators=(",", ":"))


def _seeds(path: Path) -> list[tuple[Any, Any]]:
    """Return run and seed of each line."""
    return [_seed_of(line, f"{path}:{number}") for number, line in enumerate(lines_of(path), 1)]


def _seed_of(line: str, where: str) -> tuple[Any, Any]:
    try:
        value = json.loads(line)
        return value["run"], value["seed"]
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{where}: not a record; take the file back from git") from error


def _part_with_room(folder: Path, scale: str, more: int) -> Path:
    found = parts(folder, scale)
    added = folder / (f"{scale}.{len(found) + 1}.jsonl" if found else f"{scale}.jsonl")
    return next((path for path in found if path.stat().st_size + more <= MAX_BYTES), added)


def _write(path: Path, lines: list[str]) -> None:
    write_text(path, "".join(f"{line}\n" for line in sorted(lines)))
