"""Count the work of a training update, and measure how fast this machine multiplies matrices."""

import time
from collections.abc import Sequence

import torch

from bench.adapters.ours import spec_of
from bench.workload import MAX_TOKENS, Size, TrainingBatch
from deepmt.estimate.batch_shape import BatchShape
from deepmt.estimate.cost import FORWARD_AND_BACKWARD
from deepmt.estimate.model_work import work_of

SECONDS = 1.0
"""Time to multiply for, after which the fastest product counts."""


def flops_a_token(size: Size, batches: Sequence[TrainingBatch]) -> float:
    """Return the FLOPs of the matrix products of both passes for a target token."""
    work = work_of(spec_of(size), (size.vocabulary, size.vocabulary))
    flops = sum(work.flops(shape_of(batch)) for batch in batches)
    return FORWARD_AND_BACKWARD * flops / sum(batch.target_tokens for batch in batches)


def shape_of(batch: TrainingBatch) -> BatchShape:
    """Return the shape of a batch, as estimates count it."""
    (sentences, source), target = batch.source.shape, batch.target.shape[1]
    return BatchShape(sentences, source, target, batch.target_tokens)


def matrix_rate(size: Size, precision: str, device: str) -> float:
    """Return the FLOP/s of the fastest of many products [tokens, D] x [D, F] in a precision."""
    dtype = getattr(torch, precision)
    x = torch.randn(MAX_TOKENS, size.d_model, device=device).to(dtype)
    w = torch.randn(size.feed_forward, size.d_model, device=device).to(dtype)
    best, end = float("inf"), time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        began = time.perf_counter()
        torch.nn.functional.linear(x, w)
        if device == "cuda":
            torch.cuda.synchronize()
        best = min(best, time.perf_counter() - began)
    return 2 * MAX_TOKENS * size.d_model * size.feed_forward / best
