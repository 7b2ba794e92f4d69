"""Define how a training ended, as outcome.json and records hold it."""

from dataclasses import field
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, Field
from pydantic.dataclasses import dataclass

from deepmt.settings.strict import CHECKED, Count, CountOrNone, NotNegative, Perplexity, Tokens
from deepmt.settings.typed_file import SeedFile

Time = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$")]
"""A time in UTC, ISO 8601, to the second."""


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class RecordedFailure:
    """Hold the update at which a run diverged, stalled or collapsed, and the reason."""

    update: CountOrNone
    reason: str
    rows: tuple[CountOrNone, ...] = ()
    """Training pairs of the batch whose loss or gradient is not finite; else empty."""


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class EndAtMilestone:
    """Hold what a run would have ended with at an update before its last."""

    update: Count
    target_tokens: Tokens
    train_seconds: NotNegative
    core_seconds: NotNegative
    averaged_updates: tuple[Count, ...]
    dev_perplexities: dict[str, Perplexity]


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class Milestone(EndAtMilestone):
    """Name the weights to score as well."""

    file: str


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class TrainingEnd:
    """Hold what outcome and record of a training have in common."""

    failure: Annotated[
        RecordedFailure | None, Field(validation_alias=AliasChoices("failure", "diverged"))
    ]
    """Called `diverged` in older records."""
    updates: CountOrNone
    epochs: NotNegative
    target_tokens: Tokens
    train_loss: Annotated[float, Field(ge=0)] | None
    averaged_updates: tuple[CountOrNone, ...]
    dev_perplexities: dict[str, Perplexity] = field(default_factory=dict)
    """Of the last weights and of the mean, if the better ones were to be scored."""
    parameters: Count
    initial_weights: str = ""
    """Hash of init.safetensors; empty in older records."""
    peak_memory_mb: CountOrNone | None
    hardware: dict[str, Any]
    software: dict[str, Any]
    commit: str
    started: Time
    finished: Time
    attempts: CountOrNone


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class Outcome(TrainingEnd, SeedFile):
    """Hold the outcome of a training, from which its weights are averaged and its record made."""

    outcome: Literal["finished", "diverged", "stalled"]
    unigram_loss: float
    averaged: tuple[str, ...]
    """Files of the weights to average, oldest first."""
    milestones: tuple[Milestone, ...] = ()
    target_tokens_per_s: NotNegative
    train_seconds: NotNegative
    core_seconds: NotNegative | None = None
    """Missing in older outcomes."""
    micro_tokens: CountOrNone
    padding: NotNegative
    code: str
