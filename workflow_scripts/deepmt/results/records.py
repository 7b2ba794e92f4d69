"""Records of finished seeds: read, checked, and refused one by one where they are bad."""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

from deepmt.config.spec import Spec
from deepmt.config.strict_yaml import Node, Problems, StrictYamlError, load, read
from deepmt.results.record_archive import scale_of


@dataclass(frozen=True, kw_only=True)
class Score:
    """A score, and the signature by which others can measure the same."""

    value: float
    signature: str


@dataclass(frozen=True, kw_only=True)
class Divergence:
    """When and why a run was given up."""

    update: int
    reason: str
    rows: tuple[int, ...] = ()
    """Of the training set, in the batch that was at fault; none where the run learned nothing."""


@dataclass(frozen=True, kw_only=True)
class Data:
    """What a run was trained on; the note is shown beside every table made from it."""

    encoding: str
    note: str
    sha256: dict[str, Any]
    synthetic: dict[str, Any] | None = None
    """Shares of bitext and back-translated pairs, and the run that made them."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """Everything about one finished seed of a run, as in record.json."""

    schema: Literal["record/1"]
    run: str
    spec_sha256: str
    spec: dict[str, Any]
    scale: str
    seed: int
    outcome: Literal["finished", "diverged"]
    diverged: Divergence | None
    updates: int
    epochs: float
    target_tokens: int
    train_loss: float | None
    averaged_updates: tuple[int, ...]
    parameters: int
    scores: dict[str, dict[str, Score]]
    """By set, then by measure."""
    perplexities: dict[str, float | None]
    """By set."""
    decoding: dict[str, Any]
    throughput: dict[str, Any]
    peak_memory_mb: float | None
    hardware: dict[str, Any]
    software: dict[str, Any]
    data: Data
    commit: str
    started: str
    finished: str
    """Moments in UTC, ISO 8601."""
    attempts: int

    def __post_init__(self) -> None:
        """Check what the types cannot say."""
        if (self.outcome == "diverged") != (self.diverged is not None):
            raise ValueError("`diverged` must say when and why if, and only if, outcome=diverged")
        if canonical_sha256(self.spec) != self.spec_sha256:
            raise ValueError("spec_sha256 is not the hash of the record's own spec")
        if not isinstance(self.decoding_speeds, dict):
            raise ValueError("decoding.sentences_per_s must say a speed for every set")
        for name, value in self.numbers():
            if type(value) not in (int, float, type(None)):
                raise ValueError(f"{name} is {value!r}; it must be a number or null")
            if value is not None and not math.isfinite(value):
                raise ValueError(f"{name} is {value}; a record holds finite numbers or null")

    @property
    def training_speed(self) -> float | None:
        """Target tokens a second."""
        return self.throughput.get("target_tokens_per_s")

    @property
    def decoding_speeds(self) -> dict[str, float]:
        """Sentences a second by set; records made before they were written down have none."""
        return self.decoding.get("sentences_per_s", {})

    @property
    def machines(self) -> str:
        """Names of what it was trained on, the last one first."""
        used = (self.hardware, *self.hardware.get("earlier", ()))
        names = dict.fromkeys(str(one.get("name", "unknown hardware")) for one in used)
        return ", before that ".join(names)

    def numbers(self) -> Iterator[tuple[str, float | None]]:
        """Names and values of everything that a table may show."""
        yield from (("epochs", self.epochs), ("train_loss", self.train_loss))
        yield ("throughput.target_tokens_per_s", self.training_speed)
        for name, speed in self.decoding_speeds.items():
            yield (f"decoding.sentences_per_s.{name}", speed)
        yield from ((f"perplexities.{name}", value) for name, value in self.perplexities.items())
        for set_name, scores in self.scores.items():
            yield from ((f"scores.{set_name}.{name}", s.value) for name, s in scores.items())


@dataclass(frozen=True)
class Entry:
    """A record and where it was read; `recorded` if that was the shelf in git."""

    record: Record
    place: str
    recorded: bool


@dataclass(frozen=True)
class Refusal:
    """A record that no table uses; the message starts with file and line."""

    run: str
    message: str


@dataclass(frozen=True)
class Records:
    """What could be read, by run and seed, and what was refused."""

    entries: tuple[Entry, ...]
    refusals: tuple[Refusal, ...]

    def of(self, run: str) -> tuple[Entry, ...]:
        """The seeds of a run in order."""
        return tuple(entry for entry in self.entries if entry.record.run == run)

    def refused(self, run: str) -> tuple[str, ...]:
        """Why records of a run were refused."""
        return tuple(refusal.message for refusal in self.refusals if refusal.run == run)


def read_records(*, results: Path, shelf: Path, specs: Iterable[Spec], scale: str) -> Records:
    """Read `results`/runs/*/seed*/record.json and `shelf`/*.jsonl, one record a line.

    A file of the shelf is named for the scale of its records. Where a seed of a run is on the
    shelf and was also trained here, the one trained here is used.
    """
    known = {spec.sha256: spec.run for spec in specs}
    refusals: list[Refusal] = []
    entries: dict[tuple[str, int], Entry] = {}
    for path in sorted(results.glob("runs/*/seed*/record.json")):
        problems = Problems()
        entry = _read_result(path, known, scale, problems)
        if entry is not None:
            entries[entry.record.run, entry.record.seed] = entry
        refusals += _refusal(path.parts[-3], problems)
    for node in _shelf_lines(shelf, scale, refusals):
        problems = Problems()
        record = _read_record(node, known, scale, problems)
        if record is not None:
            entry = Entry(record, f"{node.file}:{node.line}", recorded=True)
            first = entries.setdefault((record.run, record.seed), entry)
            if first.recorded and first is not entry:
                problems.add(node, f"seed {record.seed} of {record.run} stands at {first.place}")
        refusals += _refusal(_text(node, "run"), problems)
    return Records(tuple(entries[key] for key in sorted(entries)), tuple(refusals))


def canonical_sha256(spec: dict[str, Any]) -> str:
    """The hash of a spec as a record holds it; the same as Spec.sha256 of the spec itself."""
    canonical = json.dumps(spec, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _refusal(run: str, problems: Problems) -> list[Refusal]:
    """All problems of a record in one message, its place once in front."""
    if not problems.messages:
        return []
    place = problems.messages[0].partition(": ")[0] + ": "
    return [Refusal(run, place + "; ".join(m.removeprefix(place) for m in problems.messages))]


def _read_result(path: Path, known: dict[str, str], scale: str, problems: Problems) -> Entry | None:
    try:
        node = load(path)
    except StrictYamlError as error:
        problems.messages.append(str(error))
        return None
    record = _read_record(node, known, scale, problems)
    if record is None:
        return None
    run, folder = path.parts[-3:-1]
    if (record.run, f"seed{record.seed}") != (run, folder):
        problems.add(node, f"seed {record.seed} of {record.run} lies in the folder {run}/{folder}")
        return None
    return Entry(record, f"{path}:{node.line}", recorded=False)


def _shelf_lines(shelf: Path, scale: str, refusals: list[Refusal]) -> Iterator[Node]:
    """The lines of this scale's files; whatever is in the wrong file is refused."""
    for path in sorted(shelf.glob("*.jsonl")):
        for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
            if not line.strip():
                continue
            try:
                node = _as_node(json.loads(line, parse_constant=str), path, number)
            except ValueError as error:
                refusals.append(Refusal("", f"{path}:{number}: not valid JSON: {error}"))
                continue
            found = _text(node, "scale")
            if found and found != scale_of(path):
                message = f"scale: {found} does not belong here: move it to {found}.jsonl"
                refusals.append(Refusal(_text(node, "run"), f"{path}:{number}: {message}"))
            elif scale_of(path) == scale:
                yield node


def _as_node(value: Any, path: Path, line: int, key: str = "") -> Node:
    """A value of a line of JSON as strict_yaml reads it; NaN arrives as text and is refused."""
    if isinstance(value, dict):
        value = {
            name: _as_node(child, path, line, f"{key}.{name}" if key else name)
            for name, child in value.items()
        }
    elif isinstance(value, list):
        value = [_as_node(child, path, line, f"{key}[{i}]") for i, child in enumerate(value)]
    return Node(value, path, line, key)


def _text(node: Node, key: str) -> str:
    """What a line says under a key, however bad the rest of it is."""
    return str(node[key].value) if isinstance(node.value, dict) and key in node else ""


def _read_record(
    node: Node, known: dict[str, str], scale: str, problems: Problems
) -> Record | None:
    if isinstance(node.value, dict):
        # A record may say more than a table needs.
        names = [field.name for field in fields(Record)]
        node = replace(node, value={name: node[name] for name in names if name in node})
    record = read(node, Record, problems)
    if record is None or problems.messages:
        return None
    if record.scale != scale:
        problems.add(node["scale"], f"{record.scale} is another scale than {scale}")
    elif record.spec_sha256 not in known:
        problems.add(
            node["spec_sha256"],
            f"no row has this spec at the {scale} scale: its settings have changed since, or its"
            " paper is not asked for",
        )
    elif known[record.spec_sha256] != record.run:
        problems.add(node["run"], f"a run of this spec is called {known[record.spec_sha256]}")
    return None if problems.messages else record
