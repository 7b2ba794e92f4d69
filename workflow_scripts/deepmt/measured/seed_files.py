"""Read the entries of seeds trained here or archived; refuse invalid ones by file and line."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter

from deepmt.base.errors import UserError
from deepmt.base.files import REMEDY, without_own_hash
from deepmt.measured.record_archive import FROM_GIT, lines_of, parts
from deepmt.measured.seed_entry import SeedEntry
from deepmt.settings.strict import message_of

Entry = TypeVar("Entry", bound=SeedEntry)


@dataclass(frozen=True)
class Refusal:
    """Hold the reason why an entry is not used; the message starts with file and line."""

    run: str
    message: str


def read_seeds(
    kind: type[Entry],
    paths: Iterable[Path],
    archive: Path,
    runs: Mapping[str, str] | None,
    scale: str,
) -> tuple[list[Entry], list[Refusal]]:
    """Read files runs/<run>/seed<k>/<name>, and `archive`/*.jsonl, one entry per line.

    `runs` maps the hash of a spec to the name of its run; without it, all specs are taken. A file
    of the archive is named after the scale of its entries. A seed that was trained here takes
    precedence over the archived one.
    """
    found: dict[tuple[str, int], Entry] = {}
    refusals: list[Refusal] = []
    for path, number, text in [
        *((path, 0, path.read_bytes()) for path in sorted(paths)),
        *_lines(parts(archive, scale)),
    ]:
        folder = () if number else path.parts[-3:-1]
        try:
            value: Entry = _entry(cast(Any, kind), text, archived=bool(number))
            _check(value, runs, scale, folder)
            value = replace(value, location=f"{path}:{number or 1}", archived=bool(number))
            first = found.setdefault((value.run, value.seed), value)
            if first.archived and first is not value:
                raise UserError(f"seed {value.seed} of {value.run} is already at {first.location}")
        except ValueError as error:
            where = f"{path}:{number}" if number else path
            run = folder[0] if folder else _run_of(text)
            refusals.append(Refusal(run, f"{where}: {message_of(error)}"))
    return [found[key] for key in sorted(found)], refusals


@cache
def _entry(kind: Any, text: bytes, *, archived: bool) -> Any:
    """Read an entry once, however many plans it is compared with."""
    value = _adapter(kind).validate_json(text)
    _check_hash(json.loads(text), archived=archived)
    return value


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _lines(archive: Iterable[Path]) -> Iterator[tuple[Path, int, bytes]]:
    for path in archive:
        for number, line in enumerate(lines_of(path), 1):
            yield path, number, line


def _run_of(text: bytes) -> str:
    """Return the run that a refused line names, or "" if it names none."""
    try:
        return str(json.loads(text)["run"])
    except (ValueError, RecursionError, TypeError, LookupError):
        return ""


def _check_hash(value: Any, *, archived: bool) -> None:
    try:
        without_own_hash(value, hashed=True)
    except ValueError as error:
        raise UserError(f"{error}; {FROM_GIT if archived else REMEDY}") from error


def _check(
    value: SeedEntry, runs: Mapping[str, str] | None, scale: str, folder: tuple[str, ...]
) -> None:
    """Raise ValueError for another scale, a spec that no row has, or a wrong folder."""
    if value.scale != scale:
        raise UserError(
            f"scale: {value.scale} does not belong to {scale}; move it to where its scale is"
        )
    run = value.run if runs is None else runs.get(value.spec_sha256)
    if run is None:
        raise UserError(
            f"spec_sha256: no row has this spec at the {scale} scale: its settings have changed"
            " since, or its paper was not requested"
        )
    if run != value.run:
        raise UserError(f"run: the run of this spec is named {run}")
    if folder and folder != (value.run, f"seed{value.seed}"):
        name = f"seed {value.seed} of {value.run}"
        raise UserError(f"{name} is in the wrong folder {'/'.join(folder)}")
