"""Objects of one seed, trained here or in the archive: checked, or refused with file and line."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from deepmt.config.strict import STRICT, message
from deepmt.results.record_archive import scale_of

CHECKED = STRICT | ConfigDict(extra="ignore")
"""A file may say more than is read."""


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class OfSeed:
    """What a file says of one seed of a run."""

    run: str
    spec_sha256: str
    seed: int
    scale: str
    place: str = ""
    """File and line that it was read from; no part of the file."""
    archived: bool = False
    """Whether that is the archive in git."""


Kind = TypeVar("Kind", bound=OfSeed)


@dataclass(frozen=True)
class Refusal:
    """An object that nothing uses; the message starts with file and line."""

    run: str
    message: str


def read_seeds(
    kind: type[Kind], paths: Iterable[Path], archive: Path, runs: Mapping[str, str], scale: str
) -> tuple[list[Kind], list[Refusal]]:
    """Read files runs/<run>/seed<k>/<name>, and `archive`/*.jsonl, one object a line.

    `runs` are the names of runs by the hash of their spec. A file of the archive is named for the
    scale of its objects. Where a seed is in the archive and was also trained here, the one trained
    here is returned.
    """
    adapter: TypeAdapter[Kind] = TypeAdapter(kind)
    found: dict[tuple[str, int], Kind] = {}
    refusals: list[Refusal] = []
    for path, number, text in [
        *((path, 0, path.read_bytes()) for path in sorted(paths)),
        *_lines(archive),
    ]:
        own = _plain(text)
        folder = () if number else path.parts[-3:-1]
        try:
            if number and own.get("scale", scale_of(path)) != scale_of(path):
                other = own["scale"]
                raise ValueError(f"scale: {other} does not belong here: move it to {other}.jsonl")
            if number and own and scale_of(path) != scale:
                continue
            value = adapter.validate_json(text)
            _check(value, runs, scale, folder)
            value = replace(value, place=f"{path}:{number or 1}", archived=bool(number))
            first = found.setdefault((value.run, value.seed), value)
            if first.archived and first is not value:
                raise ValueError(f"seed {value.seed} of {value.run} is at {first.place} already")
        except ValueError as error:
            problem = message_of(error)
            line = number or _line_of(problem, text)
            run = folder[0] if folder else str(own.get("run", ""))
            refusals.append(Refusal(run, f"{path}:{line}: {problem}"))
    return [found[key] for key in sorted(found)], refusals


def _lines(archive: Path) -> Iterator[tuple[Path, int, bytes]]:
    for path in sorted(archive.glob("*.jsonl")):
        for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
            if line.strip():
                yield path, number, line


def _plain(text: bytes) -> dict[str, Any]:
    """Return what a text says of itself, however bad it is."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _check(value: OfSeed, runs: Mapping[str, str], scale: str, folder: tuple[str, ...]) -> None:
    """Refuse what is of another scale, of settings that no row has, or in a wrong folder."""
    if value.scale != scale:
        raise ValueError(f"scale: {value.scale} is another scale than {scale}")
    if value.spec_sha256 not in runs:
        raise ValueError(
            f"spec_sha256: no row has this spec at the {scale} scale: its settings have changed"
            " since, or its paper is not asked for"
        )
    if runs[value.spec_sha256] != value.run:
        raise ValueError(f"run: a run of this spec is called {runs[value.spec_sha256]}")
    if folder and folder != (value.run, f"seed{value.seed}"):
        name = f"seed {value.seed} of {value.run}"
        raise ValueError(f"{name} lies in the folder {'/'.join(folder)}")


def message_of(error: ValueError) -> str:
    """Return every problem of an object in one line."""
    if not isinstance(error, ValidationError):
        return str(error)
    return "; ".join(dict.fromkeys(_problem(dict(each)) for each in error.errors()))


def _problem(error: dict[str, Any]) -> str:
    place, what = [str(part) for part in error["loc"]], message(error)
    if error["type"] == "missing":
        what = f"missing key '{place.pop()}'"
    elif error["type"] == "json_invalid":
        what = f"not valid JSON: {what}"
    return ": ".join(filter(None, [".".join(place), what]))


def _line_of(problem: str, text: bytes) -> int:
    """Return the line of the key that a problem begins with, or else the first one."""
    key = f'"{problem.partition(":")[0].rpartition(".")[2]}":'.encode()
    lines = enumerate(text.split(b"\n"), 1)
    return next((number for number, line in lines if key in line), 1)
