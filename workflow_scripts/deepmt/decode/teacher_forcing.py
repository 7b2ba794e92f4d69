"""Compute the log probability of every reference of a split with teacher forcing."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from deepmt.data.batches import TrainingBatches, in_order_of_length
from deepmt.data.encoded import EncodedPair
from deepmt.data.vocabulary import PAD

BATCH_TOKENS = 4096


@torch.inference_mode()
def log_probabilities(
    model: nn.Module, pair: EncodedPair, max_length: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return sum_t log p(y_t | y_<t, x) and the number of y_t of each sentence, in file order.

    Natural logarithms, without label smoothing; the end symbol counts as a token.
    """
    model.eval()
    device = next(model.parameters()).device
    batches = TrainingBatches(pair, BATCH_TOKENS, max_length, seed=0)
    sums = np.zeros(len(pair))
    for rows in in_order_of_length(batches):
        batch = batches.batch(rows).to(device)
        real = batch.target != PAD
        logits = model.output(model(batch.source, batch.target)[real]).float()
        nll = functional.cross_entropy(logits, batch.target[real], reduction="none")
        by_token = torch.zeros(real.shape, dtype=torch.double, device=device)
        sums[rows] = -by_token.masked_scatter(real, nll.double()).sum(1).cpu().numpy()
    return sums, batches.target_lengths
