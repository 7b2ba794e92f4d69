"""Perplexity of a set under teacher forcing."""

import math
from collections.abc import Iterable

import torch
from torch import nn
from torch.nn import functional

from deepmt.data.batches import Batch
from deepmt.data.vocabulary import PAD


@torch.inference_mode()
def perplexity(model: nn.Module, batches: Iterable[Batch]) -> float:
    """exp of the mean over target tokens of -log p(token), without label smoothing."""
    model.eval()
    total, tokens = 0.0, 0
    for batch in batches:
        real = batch.target != PAD
        logits = model.output(model(batch.source, batch.target)[real]).float()
        total += float(functional.cross_entropy(logits, batch.target[real], reduction="sum"))
        tokens += int(real.sum())
    return math.exp(min(total / tokens, 700.0))
