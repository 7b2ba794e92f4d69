"""Read and write the archive of a scale: small files <scale>.jsonl, <scale>.2.jsonl, etc."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deepmt.base.errors import UserError
from deepmt.base.files import (
    check_hashes,
    read_json,
    replacing,
    sha256,
    visible,
    with_own_hash,
    write_hashed_json,
)

HASHES = "hashes.json"
"""File with the hashes of the archive's other files."""
FOLDERS = ("bench", "probes")
"""Folders of such files."""
FROM_GIT = "take it back from git"
MAX_BYTES = 400_000
"""Size of a file that no line exceeds, unless it is longer itself: then the next one is started."""


def scale_of(path: Path) -> str:
    """Return the scale that all lines of a file must have."""
    return path.name.partition(".")[0]


def parts(folder: Path, scale: str) -> list[Path]:
    """Return the existing files of a scale, in the order in which they were started."""
    found = [path for path in visible(folder, "*.jsonl") if scale_of(path) == scale]
    return sorted(found, key=lambda path: (len(path.name), path.name))


def lines_of(path: Path) -> list[bytes]:
    """Return the lines of a file, also a last one that does not end."""
    lines = path.read_bytes().split(b"\n")
    return lines if lines[-1] else lines[:-1]


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
    count = _count(folder, scale)
    others = {
        path: [
            line
            for line, found in zip(lines_of(path), _seeds(path), strict=True)
            if found != (run, seed)
        ]
        for path in parts(folder, scale)
    }
    gone = {path: len(lines_of(path)) - len(kept) for path, kept in others.items()}
    had = [path for path in gone if gone[path]]
    if value is not None:
        line = _hashed(value)
        target = had[0] if had else _part_with_room(folder, scale, len(line))
        _write(target, [*others.get(target, ()), line])
        had = had[1:]
    for path in had:
        _write(path, others[path])
    if lost := count - sum(gone.values()) + (value is not None) - _count(folder, scale):
        raise UserError(f"{folder}: {lost} lines of {scale} were lost as {run} came; {FROM_GIT}")


def archived_file(folder: Path, name: str) -> Path:
    """Return the path of a file of the archive that is not of one scale, e.g. speed.csv.

    Raises ValueError if it does not have its hash in hashes.json.
    """
    check_hashes(folder, {name: hashes_listed(folder).get(name)}, FROM_GIT)
    return folder / name


def measured_file(results: Path, archive: Path, name: str) -> Path | None:
    """Return the path of a file measured here, e.g. speed.csv, or else archived; None without."""
    if (results / name).exists():
        return results / name
    return archived_file(archive, name) if (archive / name).exists() else None


def put_measured(path: Path, folder: Path) -> None:
    """Put a CSV file that is not of one scale into the archive, and list its hash.

    Raises:
        UserError: it is no CSV file, or lies there already.
    """
    if path.suffix != ".csv":
        raise UserError(f"{path}: is no .csv file, as measurements of untrained models are")
    name = "/".join(path.parts[-2:] if path.parent.name in FOLDERS else path.parts[-1:])
    target = folder / name
    if target.exists() and target.samefile(path):
        raise UserError(f"{path} lies in the archive: make it anew elsewhere, or {FROM_GIT}")
    with replacing(target) as temporary:
        temporary.write_bytes(path.read_bytes())
    listed = hashes_listed(folder) | {name: sha256(target)}
    write_hashed_json(folder / HASHES, {"sha256": listed})


def hashes_listed(folder: Path) -> dict[str, str]:
    """Return the hashes of the archive's CSV files by name; none if it never had any."""
    if not (folder / HASHES).exists():
        return {}
    return dict(read_json(folder / HASHES, FROM_GIT)["sha256"])


def _hashed(value: Mapping[str, Any]) -> bytes:
    return json.dumps(with_own_hash(value), sort_keys=True, separators=(",", ":")).encode()


def _seeds(path: Path) -> list[tuple[Any, Any]]:
    """Return run and seed of each line."""
    return [_seed_of(line, f"{path}:{number}") for number, line in enumerate(lines_of(path), 1)]


def _seed_of(line: bytes, where: str) -> tuple[Any, Any]:
    try:
        value = json.loads(line)
        return value["run"], value["seed"]
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise UserError(f"{where}: not a record; {FROM_GIT}") from error


def _part_with_room(folder: Path, scale: str, more: int) -> Path:
    found = parts(folder, scale)
    added = folder / (f"{scale}.{len(found) + 1}.jsonl" if found else f"{scale}.jsonl")
    return next((path for path in found if path.stat().st_size + more <= MAX_BYTES), added)


def _count(folder: Path, scale: str) -> int:
    """Count lines in another way than `lines_of`, which thus cannot lose one unseen."""
    return sum(len(path.read_bytes().splitlines()) for path in parts(folder, scale))


def _write(path: Path, lines: list[bytes]) -> None:
    with replacing(path) as temporary:
        temporary.write_bytes(b"".join(line + b"\n" for line in sorted(lines)))
