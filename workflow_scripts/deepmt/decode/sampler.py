"""Sample translations instead of searching, for back-translation (Edunov et al. 2018)."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from deepmt.base.errors import UserError
from deepmt.decode.beam import Candidates


@dataclass(frozen=True)
class Sampler:
    """Draw the next token from P(token), with a beam of one.

    Each sentence has its own random numbers, so the result does not depend on the batch. Line n to
    translate is line first + step * n of the whole text.
    """

    seed: int
    first: int = 0
    step: int = 1

    def uniform(self, number: int, steps: int) -> NDArray[np.float64]:
        """Return the random numbers of one sentence, one per step."""
        generator = np.random.default_rng([self.seed, self.first + self.step * number])
        return generator.random(steps)

    def draw(self, totals: Tensor, uniform: Tensor) -> Candidates:
        """Draw one candidate per sentence from log P of all continuations [S, 1, V].

        `uniform` holds the random number of each sentence for this step: [S, 1].

        Raises:
            ValueError: a sentence has more than one hypothesis.
        """
        if totals.size(1) != 1:
            raise UserError(f"sampling needs decoding.beam=1, not {totals.size(1)}")
        scores, tokens = totals[:, 0].sort(dim=1, descending=True)
        cumulative = scores.double().softmax(1).cumsum(1)
        index = torch.searchsorted(cumulative, uniform * cumulative[:, -1:], right=True)
        index = index.clamp(max=cumulative.size(1) - 1)
        return Candidates(scores.gather(1, index), torch.zeros_like(index), tokens.gather(1, index))
