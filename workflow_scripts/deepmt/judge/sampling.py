"""Estimate what the choice of sentences adds to the error of a difference of log perplexities."""

import math

import numpy as np

from deepmt.judge.interval import Error
from deepmt.judge.quality import TrainedSystem


def sentence_error(one: TrainedSystem, other: TrainedSystem, seeds: tuple[int, ...]) -> list[Error]:
    """Return the standard error over the sentences of all test sets; none if they are not kept.

    It is unknown, so infinite, if there is one sentence.

    The difference is a ratio, sum of d over sum of n, of log probabilities d (the mean over seeds)
    and tokens n: its error is sqrt(N/(N-1) sum (d - r n)^2) / sum n.
    """
    both = one.kept.keys() & other.kept.keys() & {*seeds}
    known = [(one.kept[seed], other.kept[seed]) for seed in sorted(both)]
    if not known:
        return []
    tokens = np.concatenate([known[0][0][split].tokens for split in one.tokens])
    difference = np.mean(
        [np.concatenate([b[s].sums - a[s].sums for s in one.tokens]) for a, b in known],
        axis=0,
    )
    away = difference - difference.sum() / tokens.sum() * tokens
    count = len(tokens)
    if count == 1:
        return [Error(math.inf, 0)]
    size = math.sqrt(count / (count - 1) * float(away @ away)) / float(tokens.sum())
    return [Error(size, count - 1)]
