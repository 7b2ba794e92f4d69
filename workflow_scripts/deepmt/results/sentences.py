"""Read the log probability of every reference under a seed."""

from typing import NamedTuple

import numpy as np


class SentenceScores(NamedTuple):
    """Hold log probabilities and target tokens of the sentences of a split, in order."""

    log_probabilities: np.ndarray
    tokens: np.ndarray
