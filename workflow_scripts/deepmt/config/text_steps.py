"""Define the steps from raw text to tokens, and the limits of cleaning."""

from collections.abc import Collection
from dataclasses import replace
from typing import Literal

from pydantic.dataclasses import dataclass

from deepmt.config.strict import STRICT, CountOrNone, Ratio


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TextSteps:
    """Hold the steps on both sides, and the limits for cleaning training pairs (0 = no limit)."""

    normalise: bool
    tokenise: Literal["moses", "none"]
    aggressive: bool
    escape: bool
    lowercase: bool
    max_tokens: CountOrNone
    max_ratio: Ratio
    printable: bool = False
    straight_quotes: bool = False
    recase: bool = False
    clean_on: Literal["tokens", "subwords"] = "tokens"


def steps_for(steps: TextSteps, split: str, tokenised: Collection[str]) -> TextSteps:
    """Return the steps of one split: none if it came tokenised; train keeps its quotes."""
    if split in tokenised:
        return replace(
            steps,
            normalise=False,
            printable=False,
            straight_quotes=False,
            tokenise="none",
            lowercase=False,
        )
    return replace(steps, straight_quotes=steps.straight_quotes and split != "train")
