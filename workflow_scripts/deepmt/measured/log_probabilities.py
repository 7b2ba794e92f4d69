"""Hold the log probability of every reference of a split, and write it as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter

from deepmt.base.errors import UserError
from deepmt.settings.seed_folder import PointFolder
from deepmt.settings.strict import Count

HEADER = "log_probability,tokens"
LINES = TypeAdapter(
    Annotated[list[tuple[Annotated[float, Field(le=0, ge=-1e18)], Count]], Field(min_length=1)]
)
DECIMALS = 5
"""Rounding changes the perplexity of references of 5 tokens and more by less than 1e-6."""
ROUNDING = 1e-5
"""How far the log of a perplexity may lie from the mean of what is written."""


@dataclass(frozen=True, eq=False)
class LogProbabilities:
    """Hold log p(reference | source) and the number of target tokens, end symbol included: [N]."""

    sums: NDArray[np.float64]
    tokens: NDArray[np.int64]

    @classmethod
    def of(cls, lines: Sequence[str], perplexity: float) -> "LogProbabilities":
        """Return what `lines` say; raise ValueError if one cannot be, or not with a perplexity."""
        pairs = LINES.validate_python([line.split(",") for line in lines[1:]])
        sums, tokens = map(np.array, zip(*pairs, strict=True))
        if not abs(found := sums.sum() / tokens.sum() + log(perplexity)) < ROUNDING:
            raise UserError(f"its perplexity is {found:.5f} off")
        return cls(sums, tokens)

    @property
    def lines(self) -> list[str]:
        """Return the lines of a CSV file, one for each sentence, below a header."""
        pairs = zip(self.sums, self.tokens, strict=True)
        return [HEADER, *(f"{log:.{DECIMALS}f},{tokens}" for log, tokens in pairs)]


def file_of(split: str) -> str:
    """Return the name of a split's file, which lies beside its hypotheses."""
    return PointFolder(Path()).log_probabilities(split).name
