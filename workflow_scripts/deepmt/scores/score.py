"""Define a score, as files between jobs and records hold it."""

from typing import Annotated

from pydantic import AfterValidator
from pydantic.dataclasses import dataclass

from deepmt.base.errors import UserError
from deepmt.settings.strict import CHECKED, IF_GIVEN, NotNegative, Number

SIGNED = ("comet",)
"""Measures that may be below 0."""


@dataclass(frozen=True, config=CHECKED)
class Score:
    """Hold a score, and the signature that makes it reproducible."""

    value: Number
    signature: str
    precisions: Annotated[tuple[NotNegative, ...], IF_GIVEN] = ()
    """Percentages of matched n-grams of BLEU, n = 1 to 4; older records lack them."""
    brevity_penalty: Annotated[NotNegative | None, IF_GIVEN] = None
    length_ratio: Annotated[NotNegative | None, IF_GIVEN] = None
    """Tokens of the hypotheses over those of the reference."""


def check_signs(values: dict[str, float]) -> dict[str, float]:
    """Raise UserError if a measure is below 0 that cannot be."""
    for measure, value in values.items():
        if value < 0 and measure not in SIGNED:
            raise UserError(f"{measure}: {value:g} should be greater than or equal to 0")
    return values


def check_scores(scores: dict[str, Score]) -> dict[str, Score]:
    """Raise UserError if a score is below 0 that cannot be."""
    check_signs({measure: score.value for measure, score in scores.items()})
    return scores


Values = Annotated[dict[str, Number], AfterValidator(check_signs)]
Scores = Annotated[dict[str, Score], AfterValidator(check_scores)]
"""By measure."""
