"""Read the records of finished seeds, as in record.json."""

import json
import re
from collections.abc import Iterable
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from typing_extensions import TypedDict

from deepmt.base.code_sums import search_code, training_code
from deepmt.base.errors import UserError
from deepmt.base.printable import printable
from deepmt.measured.seed_files import Refusal, SeedEntry, read_seeds
from deepmt.scores.score import Score
from deepmt.settings.method import modules_of
from deepmt.settings.seed_folder import seeds_in
from deepmt.settings.spec import Spec, canonical_sha256, from_sections
from deepmt.settings.strict import (
    CHECKED,
    IF_GIVEN,
    NAME,
    Count,
    NotNegative,
    Perplexity,
    message_of,
)
from deepmt.settings.typed_file import TypedFile
from deepmt.train.outcome import EndAtMilestone, TrainingEnd

FailureKind = Literal["diverged", "stalled", "collapsed"]
"""How a run can fail to train, the worst first."""
FAILURES: tuple[FailureKind, ...] = get_args(FailureKind)
OPEN = CHECKED | ConfigDict(extra="allow")
ALWAYS = ("bleu", "chrf")
"""Measures of every translation that is scored."""


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class RecordedMilestone(EndAtMilestone):
    """Add what was measured there, each by split."""

    perplexities: dict[str, Perplexity]
    scores: dict[str, dict[str, NotNegative]]
    length_ratios: dict[str, NotNegative]


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
    synthetic: Annotated[dict[str, Any] | None, IF_GIVEN] = None
    """Shares of bitext and back-translated pairs, and the run that made them."""


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class Record(SeedEntry, TrainingEnd, TypedFile):
    """Hold everything about one finished seed of a run, as in record.json."""

    schema: Literal["record/1"]
    spec: dict[str, Any]
    outcome: Literal["finished"] | FailureKind
    """A run that training calls finished may have collapsed by its training curves."""
    scores: dict[str, dict[str, Score]]
    """By split, then by measure."""
    perplexities: dict[str, Perplexity]
    """By split."""
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
    data: TrainingData

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
    paths = (seed.record for seed in seeds_in(results))
    return read_seeds(Record, filter(Path.exists, paths), archive, runs, scale)


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
