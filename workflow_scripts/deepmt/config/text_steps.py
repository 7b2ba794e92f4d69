"""Define the steps from raw text to tokens, and the limits of cleaning."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class TextSteps:
    """Hold the steps on both sides, and the limits for cleaning training pairs (0 = no limit)."""

    normalise: bool
    tokenise: Literal["moses", "none"]
    aggressive: bool
    escape: bool
    lowercase: bool
    max_tokens: int
    max_ratio: float
    printable: bool = False
    straight_quotes: bool = False
    recase: bool = False
    clean_on: Literal["tokens", "subwords"] = "tokens"

    def __post_init__(self) -> None:
        if self.max_tokens < 0:
            raise ValueError(f"max_tokens={self.max_tokens} must be 0 (no limit) or more")
        if self.max_ratio != 0 and self.max_ratio < 1:
            raise ValueError(f"max_ratio={self.max_ratio} must be 0 (no limit) or at least 1")


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
