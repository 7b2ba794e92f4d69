"""Compute the log probability of every reference of a split with teacher forcing."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from deepmt.data.encoded import EncodedPair
from deepmt.model.reference_losses import reference_losses


@torch.inference_mode()
def log_probabilities(
    model: nn.Module, pair: EncodedPair, max_length: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return sum_t log p(y_t | y_<t, x) and the number of y_t of each sentence, in file order.

    Natural logarithms, without label smoothing; the end symbol counts as a token.
    """
    sums = np.zeros(len(pair))
    for rows, real, nll in reference_losses(model, pair, max_length):
        by_token = torch.zeros(real.shape, dtype=torch.double, device=real.device)
        sums[rows] = -by_token.masked_scatter(real, nll.double()).sum(1).cpu().numpy()
    return sums, np.minimum(pair.target.lengths, max_length) + 1
