"""Hold the log probability of every reference of a split, and write it as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deepmt.settings.seed_folder import PointFolder

HEADER = "log_probability,tokens"
DECIMALS = 5
"""Rounding changes the perplexity of references of 5 tokens and more by less than 1e-6."""


@dataclass(frozen=True, eq=False)
class LogProbabilities:
    """Hold log p(reference | source) and the number of target tokens, end symbol included: [N]."""

    sums: NDArray[np.float64]
    tokens: NDArray[np.int64]

    @classmethod
    def of(cls, lines: Sequence[str]) -> "LogProbabilities":
        """Return what `lines` of a file say."""
        pairs = [line.split(",") for line in lines[1:]]
        return cls(np.array([float(log) for log, _ in pairs]), np.array([int(n) for _, n in pairs]))

    @property
    def lines(self) -> list[str]:
        """Return the lines of a CSV file, one for each sentence, below a header."""
        pairs = zip(self.sums, self.tokens, strict=True)
        return [HEADER, *(f"{log:.{DECIMALS}f},{tokens}" for log, tokens in pairs)]


def file_of(split: str) -> str:
    """Return the name of a split's file, which lies beside its hypotheses."""
    return PointFolder(Path()).log_probabilities(split).name
