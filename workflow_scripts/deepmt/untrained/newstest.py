"""Draw random batches with the lengths of newstest2014, English to German, to time models."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from deepmt.data.batches import Batch, cut
from deepmt.data.vocabulary import EOS, PAD, SPECIALS

SENTENCES = 2737
"""Sentences of the filtered test set, which Zhang 2019 decodes."""
SOURCE_LENGTHS = {
    0: 3, 5: 10, 10: 12, 20: 16, 30: 19, 40: 22, 50: 25, 60: 29, 70: 32, 80: 37, 90: 45, 95: 52,
    99: 65, 100: 106,
}  # fmt: skip
"""Percentile -> English sentence length: subwords of 32,000 joint merges, learned on
Moses-tokenised news of other years, and the end symbol."""
TARGET_OVER_SOURCE = 1.05
"""German subwords per English subword, over the whole test set."""
SENTENCES_A_BATCH = 32
TARGET_TOKENS_A_STEP = 1000

Lengths = NDArray[np.int64]


def source_lengths() -> Lengths:
    """Return the length of every sentence, end symbol included, in ascending order."""
    ranks = (np.arange(SENTENCES) + 0.5) / SENTENCES
    percent, lengths = zip(*SOURCE_LENGTHS.items(), strict=True)
    return np.interp(100 * ranks, percent, lengths).round().astype(np.int64)


def target_lengths(source: Lengths) -> Lengths:
    """Return the lengths of the translations of sentences of these lengths."""
    return (source * TARGET_OVER_SOURCE).round().astype(np.int64)


def pieces_to_decode(count: int) -> list[Lengths]:
    """Return the source lengths of batches of 32, in order of length as in Zhang's code."""
    cuts = range(SENTENCES_A_BATCH, SENTENCES, SENTENCES_A_BATCH)
    return evenly(np.split(source_lengths(), cuts), count)


def batches_to_decode(count: int, vocabulary: tuple[int, int]) -> list[Batch]:
    """Draw batches of 32 in which all targets have the mean target length of the batch.

    Each search is forced to one length; the total is that of the whole test set.
    """
    return [
        draw(piece, np.full_like(piece, target_lengths(piece).mean().round()), vocabulary)
        for piece in pieces_to_decode(count)
    ]


def batches_to_train(count: int, vocabulary: tuple[int, int]) -> list[Batch]:
    """Draw batches of similar lengths with about 1,000 target tokens each."""
    lengths = source_lengths()
    pieces = cut(lengths, target_lengths(lengths), TARGET_TOKENS_A_STEP)
    return [draw(piece, target_lengths(piece), vocabulary) for piece in evenly(pieces, count)]


def evenly(pieces: list[Lengths], count: int) -> list[Lengths]:
    """Choose `count` evenly spaced pieces; repeat some if there are too few."""
    steps = (np.arange(count) + 0.5) * len(pieces) / count
    return [pieces[number] for number in steps.astype(int)]


def draw(source: Lengths, target: Lengths, vocabulary: tuple[int, int]) -> Batch:
    """Draw a batch of random tokens of these lengths."""
    return Batch(rows(source, vocabulary[0]), rows(target, vocabulary[1]))


def rows(lengths: Lengths, types: int) -> Tensor:
    """Draw rows [B, T] of lengths [B], each ending in EOS and padded on the right."""
    generator = torch.Generator().manual_seed(1)
    ends = torch.from_numpy(lengths)[:, None] - 1
    shape = len(lengths), int(lengths.max())
    tokens = torch.randint(len(SPECIALS), types, shape, generator=generator)
    position = torch.arange(shape[1])
    return tokens.masked_fill(position == ends, EOS).masked_fill(position > ends, PAD)
