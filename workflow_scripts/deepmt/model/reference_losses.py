"""Compute the loss of every reference token of a split with teacher forcing."""

from collections.abc import Iterator
from itertools import islice

import torch
from torch import Tensor, nn
from torch.nn import functional

from deepmt.data.batches import Indices, TrainingBatches, in_order_of_length
from deepmt.data.encoded import EncodedPair
from deepmt.data.vocabulary import PAD

BATCH_TOKENS = 4096
TOKENS_AT_ONCE = 512
"""Target tokens whose logits are held at once: those of a batch take more memory than an update."""


@torch.inference_mode()
def reference_losses(
    model: nn.Module,
    pair: EncodedPair,
    max_length: int,
    *,
    epsilon: float = 0.0,
    rank: int = 0,
    size: int = 1,
) -> Iterator[tuple[Indices, Tensor, Tensor]]:
    """Yield rows [B], where their targets [B, T] are real, and the losses of these tokens [N].

    A loss is (1 - e) (-log p_gold) + e/V sum_v (-log p_v). Of `size` workers, each one takes every
    `size`-th batch.
    """
    model.eval()
    device = next(model.parameters()).device
    batches = TrainingBatches(pair, BATCH_TOKENS, max_length, seed=0)
    for rows in islice(in_order_of_length(batches), rank, None, size):
        batch = batches.batch(rows).to(device)
        real = batch.target != PAD
        states = model(batch.source, batch.target)[real].split(TOKENS_AT_ONCE)
        losses = [
            functional.cross_entropy(
                model.output(chunk).float(), tokens, reduction="none", label_smoothing=epsilon
            )
            for chunk, tokens in zip(states, batch.target[real].split(TOKENS_AT_ONCE), strict=True)
        ]
        yield rows, real, torch.cat(losses)
