"""Define the steps from raw text to tokens, and the limits of cleaning."""

from typing import Literal

from pydantic.dataclasses import dataclass

from deepmt.settings.strict import STRICT, CountOrNone, Ratio

SAMPLE = "train_sample"
"""A few pairs of train, which is translated only in this split: all of it would take too long."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TextSteps:
    """Hold the steps on both sides, and the limits for cleaning training pairs (0 = no limit)."""

    normalise: bool = True
    printable: bool = False
    """Drop control characters (Moses' remove-non-printing-char)."""
    straight_quotes: bool = False
    """In all splits but train, a right single quote becomes an apostrophe (fairseq's scripts)."""
    tokenise: Literal["moses", "none"] = "moses"
    """By Moses' rules; Chinese, which has no spaces, by jieba."""
    aggressive: bool = False
    escape: bool = True
    lowercase: bool = False
    recase: bool = False
    """The text is true-cased: the first letter of a translation is capitalised again."""
    max_tokens: CountOrNone = 175
    max_ratio: Ratio = 1.5
    clean_on: Literal["tokens", "subwords"] = "tokens"
    """The unit that the limits of cleaning count."""
