"""Sampling instead of searching, as back-translation does (Edunov et al. 2018)."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from deepmt.decode.beam import Candidates

LONGEST = 4096
"""Steps for which a sentence has random numbers."""


class Sampler:
    """Draws the next token from P(token), or from its `top_k` likeliest; for a beam of one.

    Each sentence has random numbers of its own, so that neighbours change nothing.
    """

    def __init__(self, seed: int, top_k: int = 0, *, first: int = 0, step: int = 1) -> None:
        """Line n that is translated is line first + step * n of a longer text."""
        self.seed = seed
        self.top_k = top_k
        self.first = first
        self.step = step

    def draw(
        self, totals: Tensor, numbers: Sequence[int | None], ages: Sequence[int]
    ) -> Candidates:
        """log P of all continuations [S, 1, V] -> one candidate a sentence.

        `numbers` are those of the sentences, none where a place is free; `ages` count their steps.

        Raises:
            ValueError: there is more than one hypothesis a sentence.
        """
        if totals.size(1) != 1:
            raise ValueError(f"sampling takes decoding.beam=1, not {totals.size(1)}")
        scores, tokens = totals[:, 0].sort(dim=1, descending=True)
        if self.top_k:
            scores, tokens = scores[:, : self.top_k], tokens[:, : self.top_k]
        shares = scores.double().softmax(1).cumsum(1)
        drawn = [
            0.0 if number is None else uniform(self.seed, self.first + self.step * number)[age]
            for number, age in zip(numbers, ages, strict=True)
        ]
        mark = torch.tensor(drawn, dtype=shares.dtype, device=shares.device)[:, None]
        index = torch.searchsorted(shares, mark * shares[:, -1:], right=True)
        index = index.clamp(max=shares.size(1) - 1)
        return Candidates(scores.gather(1, index), torch.zeros_like(index), tokens.gather(1, index))


@lru_cache(maxsize=4096)
def uniform(seed: int, number: int) -> NDArray[np.float64]:
    """Return the random numbers of one sentence, one a step."""
    return np.random.default_rng([seed, number]).random(LONGEST)
