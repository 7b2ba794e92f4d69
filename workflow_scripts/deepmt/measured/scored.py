"""Define what scores.<split>.json says of a translation."""

from dataclasses import field

from pydantic.dataclasses import dataclass

from deepmt.measured.decoded import Decoded
from deepmt.scores.score import Scores
from deepmt.settings.strict import CHECKED, CountOrNone


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class Scored(Decoded):
    """Hold the scores of a translation, and all that is known of its decoding."""

    target_language: str
    references: dict[str, str] = field(default_factory=dict)
    """SHA-256 of the raw and the tokenised reference; older files have none."""
    segments: CountOrNone
    empty_hypotheses: CountOrNone
    scores: Scores
    """By measure."""
