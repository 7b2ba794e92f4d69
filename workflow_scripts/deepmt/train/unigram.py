"""Compute the loss of a model that ignores its input."""

import numpy as np
import torch
from torch import Tensor

from deepmt.data.encoded import EncodedPair
from deepmt.data.vocabulary import EOS

BLOCK = 1 << 24
"""Token ids of the training set that are counted at once."""


def unigram_counts(pair: EncodedPair, vocabulary: int) -> Tensor:
    """Count how often each target type occurs in training, the end symbol once per sentence.

    With the sentence mean, too, every token counts 1: batches hold sentences of similar length,
    and the longer the fewer, so on average over updates all tokens have about the same weight.
    """
    counts = np.zeros(vocabulary, dtype=np.int64)
    # In blocks, because bincount casts each id to eight bytes.
    for first in range(0, len(pair.target.ids), BLOCK):
        counts += np.bincount(pair.target.ids[first : first + BLOCK], minlength=vocabulary)
    counts[EOS] += len(pair)
    return torch.from_numpy(counts)


def unigram_loss(counts: Tensor, epsilon: float) -> float:
    """Return the entropy of the smoothed unigrams, the loss of the best constant prediction.

    A model that ignores its input cannot do better. `counts` [V] are those of training targets.
    """
    unigram = counts.double() / counts.sum()
    smoothed = (1 - epsilon) * unigram + epsilon / len(counts)
    return float(torch.special.entr(smoothed).sum())
