"""Sample translations instead of searching, for back-translation (Edunov et al. 2018)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from deepmt.decode.beam import Candidates

MAX_STEPS = 4096
"""Steps for which a sentence has random numbers."""


@dataclass(frozen=True)
class Sampler:
    """Draw the next token from P(token), or from the `top_k` most likely, with a beam of one.

    Each sentence has its own random numbers, so the result does not depend on the batch. Line n to
    translate is line first + step * n of the whole text.
    """

    seed: int
    top_k: int = 0
    first: int = 0
    step: int = 1

    def draw(
        self, totals: Tensor, numbers: Sequence[int | None], lengths: Sequence[int]
    ) -> Candidates:
        """Draw one candidate per sentence from log P of all continuations [S, 1, V].

        `numbers` holds the number of each sentence, None for a free slot; `lengths` counts the
        steps of each.

        Raises:
            ValueError: a sentence has more than one hypothesis.
        """
        if totals.size(1) != 1:
            raise ValueError(f"sampling needs decoding.beam=1, not {totals.size(1)}")
        scores, tokens = totals[:, 0].sort(dim=1, descending=True)
        if self.top_k:
            scores, tokens = scores[:, : self.top_k], tokens[:, : self.top_k]
        cumulative = scores.double().softmax(1).cumsum(1)
        drawn = [
            0.0 if number is None else uniform(self.seed, self.first + self.step * number)[length]
            for number, length in zip(numbers, lengths, strict=True)
        ]
        quantile = torch.tensor(drawn, dtype=cumulative.dtype, device=cumulative.device)[:, None]
        index = torch.searchsorted(cumulative, quantile * cumulative[:, -1:], right=True)
        index = index.clamp(max=cumulative.size(1) - 1)
        return Candidates(scores.gather(1, index), torch.zeros_like(index), tokens.gather(1, index))


@lru_cache(maxsize=4096)
def uniform(seed: int, number: int) -> NDArray[np.float64]:
    """Return the random numbers of one sentence, one per step."""
    return np.random.default_rng([seed, number]).random(MAX_STEPS)
