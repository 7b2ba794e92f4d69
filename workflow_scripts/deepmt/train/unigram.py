"""The loss of a model that has learned nothing of its input."""

import numpy as np
import torch
from torch import Tensor

from deepmt.data.encoded import EncodedPair
from deepmt.data.vocabulary import EOS

BLOCK = 1 << 24
"""Ids of the training set that are counted at once."""


def unigram_counts(pair: EncodedPair, vocabulary: int) -> Tensor:
    """Count how often each target type occurs in training, the end symbol once a sentence.

    Every token counts 1 under the sentence mean too: batches hold sentences of like length, and the
    fewer the longer, so that in the mean over updates a token of either kind weighs alike.
    """
    counts = np.zeros(vocabulary, dtype=np.int64)
    # In blocks, since each is cast to eight bytes an id.
    for first in range(0, len(pair.target.ids), BLOCK):
        counts += np.bincount(pair.target.ids[first : first + BLOCK], minlength=vocabulary)
    counts[EOS] += len(pair)
    return torch.from_numpy(counts)


def unigram_loss(counts: Tensor, share: float) -> float:
    """Return the smoothed loss of the best constant prediction: the smoothed unigrams' entropy.

    A model that has learned nothing of its input cannot do better. `counts` [V] are those of the
    training targets.
    """
    unigram = counts.double() / counts.sum()
    smoothed = (1 - share) * unigram + share / len(counts)
    return float(torch.special.entr(smoothed).sum())
