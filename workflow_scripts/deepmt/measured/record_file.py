"""Define what record.json says of a finished seed."""

from dataclasses import field
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, ConfigDict
from pydantic.dataclasses import dataclass
from typing_extensions import TypedDict

from deepmt.base.errors import UserError
from deepmt.base.printable import printable
from deepmt.measured.seed_entry import SeedEntry
from deepmt.scores.score import Scores, Values
from deepmt.settings.spec import canonical_sha256
from deepmt.settings.strict import CHECKED, IF_GIVEN, Count, NotNegative, Perplexity
from deepmt.settings.typed_file import TypedFile
from deepmt.train.outcome import EndAtMilestone, TrainingEnd

FailureKind = Literal["diverged", "stalled", "collapsed"]
"""How a run can fail to train, the worst first."""
FAILURES: tuple[FailureKind, ...] = get_args(FailureKind)
OPEN = CHECKED | ConfigDict(extra="allow")
ALWAYS = ("bleu", "chrf")
"""Measures of every translation that is scored; BLEU needs a reference of four words."""


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class RecordedMilestone(EndAtMilestone):
    """Add what was measured there, each by split."""

    perplexities: dict[str, Perplexity]
    scores: dict[str, Values]
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
class RecordFile(SeedEntry, TrainingEnd, TypedFile):
    """Hold everything about one finished seed of a run."""

    schema: Literal["record/1"]
    spec: dict[str, Any]
    outcome: Literal["finished"] | FailureKind
    """A run that training calls finished may have collapsed by its training curves."""
    scores: dict[str, Scores]
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
    unigram_loss: Annotated[NotNegative | None, IF_GIVEN] = None
    """Loss of the best constant prediction on the training text; missing in older records."""
    decoding: DecodingSpeed
    throughput: TrainingSpeed
    data: TrainingData

    def __post_init__(self) -> None:
        """Check the rules that types cannot express."""
        if (self.outcome == "finished") != (self.failure is None):
            raise UserError("`failure` must be given if and only if outcome is not finished")
        if canonical_sha256(self.spec) != self.spec_sha256:
            raise UserError("spec_sha256 is not the hash of the record's own spec")
