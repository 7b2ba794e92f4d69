"""Compute the loss and the perplexity of a split with teacher forcing."""

import math

import torch
from torch import nn

from deepmt.data.encoded import EncodedPair
from deepmt.model.reference_losses import reference_losses
from deepmt.train.workers import Workers

ALONE = Workers()
LARGEST_EXPONENT = 700.0
"""Keeps the perplexity of a very bad model finite."""


def perplexity(
    model: nn.Module, pair: EncodedPair, max_length: int, workers: Workers = ALONE
) -> float:
    """Return exp of the mean of -log p(token) over target tokens, without label smoothing."""
    return to_perplexity(mean_loss(model, pair, max_length, workers))


@torch.inference_mode()
def mean_loss(
    model: nn.Module,
    pair: EncodedPair,
    max_length: int,
    workers: Workers = ALONE,
    *,
    epsilon: float = 0.0,
) -> float:
    """Return the mean of (1 - e) (-log p_gold) + e/V sum_v (-log p_v) over target tokens.

    Workers share the batches, so all of them must call this.
    """
    device = next(model.parameters()).device
    sums = torch.zeros(2, dtype=torch.double, device=device)  # of losses, and of tokens
    share = {"rank": workers.rank, "size": workers.size}
    for _, _, losses in reference_losses(model, pair, max_length, epsilon=epsilon, **share):
        sums += torch.stack([losses.double().sum(), sums.new_tensor(len(losses))])
    workers.all_reduce([sums])
    loss, number = sums.tolist()
    return loss / number


def to_perplexity(nll: float) -> float:
    """Return exp of a mean of -log p, finite even if the mean is NaN."""
    # The order matters: min(nan, 700.0) is nan.
    return math.exp(min(LARGEST_EXPONENT, nll))
