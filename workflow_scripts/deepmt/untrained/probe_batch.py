"""Draw one batch of about 3,000 target tokens to measure untrained models on."""

from typing import NamedTuple

import torch
from torch import Tensor

from deepmt.data.batches import Batch
from deepmt.data.vocabulary import EOS, PAD, SPECIALS

TARGET_TOKENS = 3000
LENGTHS = (24, 30)
"""Shortest and longest sentence: the papers batch sentences of similar length."""
ZIPF_TYPES = 8000


class ProbeBatch(NamedTuple):
    """Hold a batch and the sizes of its vocabularies."""

    batch: Batch
    source_types: int
    target_types: int


def zipf_batch(seed: int) -> ProbeBatch:
    """Draw random tokens by Zipf's law: the k-th type in proportion to 1/k, as in real text."""
    draw = torch.Generator().manual_seed(seed)
    sentences = TARGET_TOKENS * 2 // sum(LENGTHS)
    sides = [zipf_side(sentences, draw) for _ in range(2)]
    return ProbeBatch(Batch(*sides), ZIPF_TYPES, ZIPF_TYPES)


def zipf_side(sentences: int, draw: torch.Generator) -> Tensor:
    """Draw one side [B, T]; lengths include the end symbol."""
    shortest, longest = LENGTHS
    weights = 1 / torch.arange(1, ZIPF_TYPES - len(SPECIALS) + 1)
    tokens = torch.multinomial(weights, sentences * longest, replacement=True, generator=draw)
    tokens = tokens.view(sentences, longest) + len(SPECIALS)
    lengths = torch.randint(shortest, longest + 1, (sentences, 1), generator=draw)
    position = torch.arange(longest)
    return tokens.masked_fill(position == lengths - 1, EOS).masked_fill(position >= lengths, PAD)
