"""Read the records of finished seeds, as in record.json."""

import json
import math
import re
from collections.abc import Iterable
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import AfterValidator, AliasChoices, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from typing_extensions import TypedDict

from deepmt.base.code_sums import search_code, training_code
from deepmt.base.errors import UserError
from deepmt.base.printable import printable
from deepmt.measured.seed_files import CHECKED, Refusal, SeedEntry, read_seeds
from deepmt.settings.method import modules_of
from deepmt.settings.spec import Spec, canonical_sha256, from_sections
from deepmt.settings.strict import NAME, Count, CountOrNone, NotNegative, message_of
from deepmt.study.measures import DECODING_SPEED, PPL

FailureKind = Literal["diverged", "stalled", "collapsed"]
"""How a run can fail to train, the worst first."""
FAILURES: tuple[FailureKind, ...] = get_args(FailureKind)
OPEN = CHECKED | ConfigDict(extra="allow")
Time = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$")]
"""A time in UTC, ISO 8601, to the second."""
Perplexity = Annotated[float, Field(ge=1)]
ALWAYS = ("bleu", "chrf")
"""Measures of every translation that is scored."""


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class RecordedScore:
    """Hold a score, and the signature that makes it reproducible."""

    value: NotNegative
    signature: str
    precisions: tuple[NotNegative, ...] = ()
    """Of BLEU, like the next two; older records lack them."""
    brevity_penalty: NotNegative | None = None
    length_ratio: NotNegative | None = None


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class RecordedMilestone:
    """Hold what a run would have ended with at an update before its last."""

    update: Count
    target_tokens: Count
    train_seconds: NotNegative
    core_seconds: NotNegative
    averaged_updates: tuple[Count, ...]
    dev_perplexities: dict[str, Perplexity]
    perplexities: dict[str, Perplexity]
    """By split, like the next two."""
    scores: dict[str, dict[str, NotNegative]]
    length_ratios: dict[str, NotNegative]


class Place(NamedTuple):
    """Name what was measured."""

    update: int
    split: str
    """Empty for what belongs to a whole run."""
    measure: str


class Measurement(NamedTuple):
    """Hold a number, and the signature of a score."""

    value: float
    signature: str = ""


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class RecordedFailure:
    """Hold the update at which a run diverged, stalled or collapsed, and the reason."""

    update: CountOrNone
    reason: str
    rows: tuple[CountOrNone, ...] = ()
    """Training pairs of the batch whose loss or gradient is not finite; else empty."""


class TrainingSpeed(TypedDict, total=False):
    """Hold the keys that are read from `throughput`."""

    __pydantic_config__ = OPEN  # type: ignore[misc]
    target_tokens_per_s: NotNegative | None
    train_seconds: NotNegative | None
    core_seconds: NotNegative | None
    """Process time of the training, of all threads; missing in older records."""


class DecodingSpeed(TypedDict, total=False):
    """Hold the keys that are read from `decoding`, which also holds the search settings."""

    __pydantic_config__ = OPEN  # type: ignore[misc]
    sentences_per_s: dict[str, NotNegative]
    """By split; missing in older records, like the next one."""
    cut: dict[str, Count]
    """Sources by split that were longer than `training.max_length`."""


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class TrainingData:
    """Describe the training data of a run; tables made from the run show the note."""

    dataset: str
    note: Annotated[str, AfterValidator(printable)]
    sha256: dict[str, str]
    synthetic: dict[str, Any] | None = None
    """Shares of bitext and back-translated pairs, and the run that made them."""


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class Record(SeedEntry):
    """Hold everything about one finished seed of a run, as in record.json."""

    schema: Literal["record/1"]
    spec: dict[str, Any]
    outcome: Literal["finished"] | FailureKind
    """A run that training calls finished may have collapsed by its training curves."""
    failure: Annotated[
        RecordedFailure | None, Field(validation_alias=AliasChoices("failure", "diverged"))
    ]
    """Called `diverged` in older records."""
    updates: CountOrNone
    epochs: NotNegative
    target_tokens: CountOrNone
    train_loss: NotNegative | None
    averaged_updates: tuple[CountOrNone, ...]
    parameters: Count
    initial_weights: str = ""
    """Hash of init.safetensors; empty in older records."""
    scores: dict[str, dict[str, RecordedScore]]
    """By split, then by measure."""
    perplexities: dict[str, Perplexity]
    """By split."""
    dev_perplexities: dict[str, Perplexity] = field(default_factory=dict)
    """Of the last weights and of the mean, if the better ones were to be scored."""
    milestones: tuple[RecordedMilestone, ...] = ()
    hypotheses: dict[str, str] = field(default_factory=dict)
    """SHA-256 of the detokenised hypotheses by split; older records have none."""
    references: dict[str, dict[str, str]] = field(default_factory=dict)
    """SHA-256 of the raw and the tokenised reference by split; older records have none."""
    log_probabilities: dict[str, str] = field(default_factory=dict)
    """SHA-256 of logprobs.<split>.csv by split; missing in older records, like the next one."""
    reference_tokens: dict[str, Count] = field(default_factory=dict)
    """Target tokens of each split with its end symbols, over which its perplexity is a mean."""
    decoding: DecodingSpeed
    throughput: TrainingSpeed
    peak_memory_mb: NotNegative | None
    hardware: dict[str, Any]
    software: dict[str, Any]
    data: TrainingData
    commit: str
    started: Time
    finished: Time
    attempts: CountOrNone

    def __post_init__(self) -> None:
        """Check the rules that types cannot express."""
        if (self.outcome == "finished") != (self.failure is None):
            raise UserError("`failure` must be given if and only if outcome is not finished")
        if canonical_sha256(self.spec) != self.spec_sha256:
            raise UserError("spec_sha256 is not the hash of the record's own spec")

    @property
    def machines(self) -> str:
        """Return the names of the machines that trained the seed, the last one first."""
        used = (self.hardware, *self.hardware.get("earlier", ()))
        names = dict.fromkeys(str(one.get("name", "unknown hardware")) for one in used)
        return ", before that ".join(names)

    @cached_property
    def measured(self) -> dict[Place, Measurement]:
        """Return everything that was measured on the seed."""
        end, recipe = self.updates, self.spec["training"]
        of_run = {
            "params_m": self.parameters / 1e6,
            "learning_rate": recipe["lr"] * 1e3,
            "updates": self.updates,
            "train_tokens_per_s": self.throughput.get("target_tokens_per_s"),
        }
        found: dict[tuple[int, str, str], float | None] = {
            (end, "", name): number for name, number in of_run.items()
        }
        speeds = self.decoding.get("sentences_per_s", {})
        found |= {(end, split, DECODING_SPEED): speed for split, speed in speeds.items()}
        if self.dev_perplexities:
            found[end, "dev", PPL] = min(self.dev_perplexities.values())
        found |= {(end, split, PPL): ppl for split, ppl in self.perplexities.items()}
        for one in self.milestones:
            found |= {(one.update, split, PPL): ppl for split, ppl in one.perplexities.items()}
            for split, scores in one.scores.items():
                found |= {(one.update, split, name): score for name, score in scores.items()}
        known = {
            Place(*place): Measurement(value) for place, value in found.items() if value is not None
        }
        return known | {
            Place(end, split, name): Measurement(score.value, score.signature)
            for split, scores in self.scores.items()
            for name, score in scores.items()
        }

    def value(self, measure: str, split: str = "", update: int | None = None) -> float:
        """Return a measure of a split at an update, or at the end; NaN if there is none."""
        place = Place(self.updates if update is None else update, split, measure)
        return self.measured[place].value if place in self.measured else math.nan

    def curve(self, measure: str, split: str) -> dict[int, float]:
        """Return a measure of a split by update, where it is known."""
        updates = [*(one.update for one in self.milestones), self.updates]
        found = {update: self.value(measure, split, update) for update in updates}
        return {update: value for update, value in found.items() if not math.isnan(value)}

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


def read_record(value: dict[str, Any]) -> Record:
    """Read a record alone, before it belongs to any plan.

    Raises:
        ValueError: it is none; names each key at fault.
    """
    try:
        record = TypeAdapter(Record).validate_json(json.dumps(value))
    except ValidationError as error:
        raise UserError(message_of(error)) from None
    if not re.fullmatch(NAME, record.scale):
        raise UserError(f"scale: {record.scale!r} is not the name of a scale")
    return record
