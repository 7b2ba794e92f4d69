"""Read the records of finished seeds, as in record.json."""

import hashlib
import json
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass
from typing_extensions import TypedDict

from deepmt.code_sums import search_code, training_code
from deepmt.config.method import modules_of
from deepmt.config.spec import Spec, from_sections
from deepmt.results.seed_files import CHECKED, Refusal, SeedEntry, read_seeds

OPEN = CHECKED | ConfigDict(extra="allow")


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class RecordedScore:
    """Hold a score, and the signature that makes it reproducible."""

    value: float
    signature: str


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class RecordedDivergence:
    """Hold the update at which a run diverged, and the reason."""

    update: int
    reason: str
    rows: tuple[int, ...] = ()
    """Training pairs of the batch that caused it; empty if the run learned nothing."""


class TrainingSpeed(TypedDict, total=False):
    """Hold the keys that are read from `throughput`."""

    __pydantic_config__ = OPEN  # type: ignore[misc]
    target_tokens_per_s: float | None
    train_seconds: float | None


class DecodingSpeed(TypedDict, total=False):
    """Hold the keys that are read from `decoding`, which also holds the search settings."""

    __pydantic_config__ = OPEN  # type: ignore[misc]
    sentences_per_s: dict[str, float]
    """By split; missing in older records."""


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class TrainingData:
    """Describe the training data of a run; tables made from the run show the note."""

    dataset: str
    note: str
    sha256: dict[str, Any]
    synthetic: dict[str, Any] | None = None
    """Shares of bitext and back-translated pairs, and the run that made them."""


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class Record(SeedEntry):
    """Hold everything about one finished seed of a run, as in record.json."""

    schema: Literal["record/1"]
    spec: dict[str, Any]
    outcome: Literal["finished", "diverged"]
    diverged: RecordedDivergence | None
    updates: int
    epochs: float
    target_tokens: int
    train_loss: float | None
    averaged_updates: tuple[int, ...]
    parameters: int
    scores: dict[str, dict[str, RecordedScore]]
    """By split, then by measure."""
    perplexities: dict[str, float | None]
    """By split."""
    decoding: DecodingSpeed
    throughput: TrainingSpeed
    peak_memory_mb: float | None
    hardware: dict[str, Any]
    software: dict[str, Any]
    data: TrainingData
    commit: str
    started: str
    finished: str
    """Times in UTC, ISO 8601."""
    attempts: int

    def __post_init__(self) -> None:
        """Check the rules that types cannot express."""
        if (self.outcome == "diverged") != (self.diverged is not None):
            raise ValueError("`diverged` must be given if and only if outcome=diverged")
        if canonical_sha256(self.spec) != self.spec_sha256:
            raise ValueError("spec_sha256 is not the hash of the record's own spec")

    @property
    def machines(self) -> str:
        """Return the names of the machines that trained the seed, the last one first."""
        used = (self.hardware, *self.hardware.get("earlier", ()))
        names = dict.fromkeys(str(one.get("name", "unknown hardware")) for one in used)
        return ", before that ".join(names)

    @cached_property
    def code_today(self) -> dict[str, str]:
        """Return today's values of training_code and search_code in `software`."""
        modules = modules_of(from_sections(self.spec).method)
        return {"training_code": training_code(modules), "search_code": search_code(modules)}

    @property
    def kept(self) -> bool:
        """Check if the seed was trained here by an earlier version of the code.

        Snakemake trains a run again when its code has changed, unless the user prevents it.
        """
        then = self.software.get("training_code")
        return not self.archived and then not in (None, self.code_today["training_code"])


def read_records(
    results: Path, archive: Path, specs: Iterable[Spec], scale: str
) -> tuple[list[Record], list[Refusal]]:
    """Read `results`/runs/*/seed*/record.json and `archive`/*.jsonl, one record per line."""
    runs = {spec.sha256: spec.run for spec in specs}
    paths = results.glob("runs/*/seed*/record.json")
    return read_seeds(Record, paths, archive, runs, scale)


def canonical_sha256(spec: dict[str, Any]) -> str:
    """Return the hash of a spec in a record, equal to Spec.sha256."""
    canonical = json.dumps(spec, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
