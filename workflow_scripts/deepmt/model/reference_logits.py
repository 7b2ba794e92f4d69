"""Compute the logits of every reference token of a split with teacher forcing."""

from collections.abc import Iterator
from itertools import islice

from torch import Tensor, nn

from deepmt.data.batches import Indices, TrainingBatches, in_order_of_length
from deepmt.data.encoded import EncodedPair
from deepmt.data.vocabulary import PAD

BATCH_TOKENS = 4096


def reference_logits(
    model: nn.Module, pair: EncodedPair, max_length: int, *, rank: int = 0, size: int = 1
) -> Iterator[tuple[Indices, Tensor, Tensor, Tensor]]:
    """Yield rows [B], where their targets [B, T] are real, and logits and tokens at these places.

    Of `size` workers, each one takes every `size`-th batch.
    """
    model.eval()
    device = next(model.parameters()).device
    batches = TrainingBatches(pair, BATCH_TOKENS, max_length, seed=0)
    for rows in islice(in_order_of_length(batches), rank, None, size):
        batch = batches.batch(rows).to(device)
        real = batch.target != PAD
        logits = model.output(model(batch.source, batch.target)[real]).float()
        yield rows, real, logits, batch.target[real]
