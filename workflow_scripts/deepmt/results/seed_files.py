"""Objects of one seed, trained here or in the archive: checked, or refused with file and line."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from deepmt.results.record_archive import scale_of

CHECKED = ConfigDict(strict=True, allow_inf_nan=False, extra="ignore")
"""Types are not converted, NaN is refused, and a file may say more than is read."""


class OfSeed(Protocol):
    """What every object of a seed says of itself."""

    @property
    def run(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def scale(self) -> str: ...
    @property
    def spec_sha256(self) -> str: ...


Kind = TypeVar("Kind", bound=OfSeed)


@dataclass(frozen=True)
class Refusal:
    """An object that nothing uses; the message starts with file and line."""

    run: str
    message: str


@dataclass(frozen=True)
class Found(Generic[Kind]):
    """An object, where it was read, and whether that was the archive."""

    value: Kind
    place: str
    archived: bool


def read_seeds(
    kind: type[Kind], paths: Iterator[Path], archive: Path, runs: Mapping[str, str], scale: str
) -> tuple[list[Found[Kind]], list[Refusal]]:
    """Read files runs/<run>/seed<k>/<name>, and `archive`/*.jsonl, one object a line.

    `runs` are the names of runs by the hash of their spec. A file of the archive is named for the
    scale of its objects. Where a seed is in the archive and was also trained here, the one trained
    here is returned.
    """
    adapter: TypeAdapter[Kind] = TypeAdapter(kind)
    found: dict[tuple[str, int], Found[Kind]] = {}
    refusals: list[Refusal] = []
    for path in sorted(paths):
        text, run = path.read_bytes(), path.parts[-3]
        try:
            value = _checked(adapter.validate_json(text), runs, scale)
            if (value.run, f"seed{value.seed}") != path.parts[-3:-1]:
                name = f"seed {value.seed} of {value.run}"
                raise ValueError(f"{name} lies in the folder {'/'.join(path.parts[-3:-1])}")
            found[value.run, value.seed] = Found(value, f"{path}:1", archived=False)
        except ValueError as error:
            message = message_of(error)
            refusals.append(Refusal(run, f"{path}:{_line_of(message, text)}: {message}"))
    for place, file_scale, text in _archived(archive):
        own = _plain(text)
        try:
            if own.get("scale", file_scale) != file_scale:
                raise ValueError(
                    f"scale: {own['scale']} does not belong here: move it to {own['scale']}.jsonl"
                )
            if own and file_scale != scale:
                continue
            value = _checked(adapter.validate_json(text), runs, scale)
            first = found.setdefault((value.run, value.seed), Found(value, place, archived=True))
            if first.archived and first.place != place:
                raise ValueError(f"seed {value.seed} of {value.run} is at {first.place} already")
        except ValueError as error:
            refusals.append(Refusal(str(own.get("run", "")), f"{place}: {message_of(error)}"))
    return [found[key] for key in sorted(found)], refusals


def _archived(archive: Path) -> Iterator[tuple[str, str, bytes]]:
    for path in sorted(archive.glob("*.jsonl")):
        for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
            if line.strip():
                yield f"{path}:{number}", scale_of(path), line


def _plain(text: bytes) -> dict[str, Any]:
    """Return what a line says of itself, however bad it is."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _checked(value: Kind, runs: Mapping[str, str], scale: str) -> Kind:
    if value.scale != scale:
        raise ValueError(f"scale: {value.scale} is another scale than {scale}")
    if value.spec_sha256 not in runs:
        raise ValueError(
            f"spec_sha256: no row has this spec at the {scale} scale: its settings have changed"
            " since, or its paper is not asked for"
        )
    if runs[value.spec_sha256] != value.run:
        raise ValueError(f"run: a run of this spec is called {runs[value.spec_sha256]}")
    return value


def message_of(error: ValueError) -> str:
    """Return every problem of an object in one line."""
    if not isinstance(error, ValidationError):
        return str(error)
    return "; ".join(dict.fromkeys(_problem(dict(each)) for each in error.errors()))


def _problem(error: dict[str, Any]) -> str:
    place, what = [str(part) for part in error["loc"]], str(error["msg"])
    if error["type"] == "missing":
        what = f"missing key '{place.pop()}'"
    elif error["type"] == "json_invalid":
        what = f"not valid JSON: {what}"
    elif error["type"] == "value_error":
        what = str(error["ctx"]["error"])
    return ": ".join(filter(None, [".".join(place), what]))


def _line_of(message: str, text: bytes) -> int:
    """Return the line of the key that a message begins with, or else the first one."""
    key = f'"{message.partition(":")[0].rpartition(".")[2]}":'.encode()
    lines = enumerate(text.split(b"\n"), 1)
    return next((number for number, line in lines if key in line), 1)
