"""Count a model on torch's `meta` device, where tensors have shapes but no memory."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.flop_counter import FlopCounterMode

from deepmt.kernels.fast_form import plain_forms
from deepmt.kernels.key_value_cache import DecodeStep
from deepmt.machines.corpus_sizes import BatchShape
from deepmt.model.build import build
from deepmt.settings.spec import Spec

FLOAT = 4
"""Bytes of a float32 number."""


@dataclass
class ForwardPass:
    """FLOPs of matrix products, and float32 numbers kept for the backward pass."""

    flops: int = 0
    values: int = 0


@contextmanager
def counting(model: nn.Module) -> Iterator[ForwardPass]:
    """Count the work inside the context; the yielded counts are complete after it."""
    weights = {weight.untyped_storage() for weight in model.parameters()}
    kept: dict[torch.UntypedStorage, dict[Any, int]] = defaultdict(dict)

    def keep(tensor: Tensor) -> None:
        if (storage := tensor.untyped_storage()) not in weights:
            kept[storage][tensor.storage_offset(), tensor.shape] = tensor.nbytes

    def restore(_: None) -> Tensor:
        raise RuntimeError("only forward passes are counted")

    work, flops = ForwardPass(), FlopCounterMode(display=False)
    with plain_forms(), saved_tensors_hooks(keep, restore), flops:
        yield work
    work.flops = flops.get_total_flops()
    whole = (min(storage.nbytes(), sum(views.values())) for storage, views in kept.items())
    work.values = sum(whole) // FLOAT


@dataclass
class Counts:
    """What `ModelWork` computes in closed form."""

    parameters: int
    flops: int
    values: int
    search_flops: int


def count(spec: Spec, types: tuple[int, int], batch: BatchShape) -> Counts:
    """Count an update and beam search over a batch, taking all steps of the search as equal."""
    beam, half = spec.decoding.beam, batch.target // 2
    with torch.device("meta"):
        model = build(spec, *types)
        source, target = (tokens(batch.sentences, n) for n in (batch.source, batch.target))
        with counting(model) as update:
            states = model(source, target)
            model.output(states.flatten(0, 1)[: batch.predictions])
        model.eval()
        with counting(model) as start:
            caches = model.start(model.encode(source), beam)
        middle = DecodeStep(
            position=tokens(batch.sentences * beam),
            last=half,
            sentence=tokens(batch.sentences, 1),
            entry=tokens(batch.sentences, beam),
            mask=torch.ones(batch.sentences, 1, beam, half + beam, dtype=torch.bool),
        )
        with counting(model) as step:
            model.step(tokens(batch.sentences * beam), middle, caches)
    return Counts(
        parameters=sum(w.numel() for w in model.parameters() if w.requires_grad),
        flops=update.flops,
        values=update.values,
        search_flops=start.flops + batch.target * step.flops,
    )


def tokens(*shape: int) -> Tensor:
    return torch.zeros(shape, dtype=torch.long)
