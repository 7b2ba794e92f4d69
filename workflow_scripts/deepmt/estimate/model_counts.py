"""Count parameters and operations of the real model, built on torch's `meta` device."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from deepmt.config.spec import Spec
from deepmt.estimate.corpus_sizes import size_of
from deepmt.estimate.counts import BatchShape, ModelCounts, mean_batch, search_batch
from deepmt.kernels.fast_form import plain_forms
from deepmt.kernels.key_value_cache import DecodeStep
from deepmt.model.build import build

FLOAT = 4
"""Bytes of a float32 number."""


class Operations(TorchDispatchMode):
    """Count torch operations except views."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Count an operation and run it."""
        self.count += not function.is_view
        return function(*args, **(kwargs or {}))


@dataclass
class ForwardPass:
    """Count operations, FLOPs of matrix products and float32 numbers kept for the backward pass."""

    calls: int = 0
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

    work, operations, flops = ForwardPass(), Operations(), FlopCounterMode(display=False)
    with ExitStack() as stack:
        stack.enter_context(plain_forms())
        stack.enter_context(saved_tensors_hooks(keep, restore))
        stack.enter_context(flops)
        stack.enter_context(operations)
        yield work
    work.calls, work.flops = operations.count, flops.get_total_flops()
    whole = (min(storage.nbytes(), sum(views.values())) for storage, views in kept.items())
    work.values = sum(whole) // FLOAT


def count(spec: Spec) -> ModelCounts:
    """Count the model of a run on its mean batch and in its search."""
    size = size_of(spec.data)
    return count_batches(spec, size.types, mean_batch(spec, size), search_batch(size))


def count_batches(
    spec: Spec, types: tuple[int, int], batch: BatchShape, search: BatchShape
) -> ModelCounts:
    """Count an update on `batch` and beam search over `search`, taking all its steps as equal."""
    with torch.device("meta"):
        model = build(spec, *types)
        source, target = (_tokens(batch.sentences, n) for n in (batch.source, batch.target))
        with counting(model) as update:
            states = model(source, target)
            model.output(states.flatten(0, 1)[: batch.predictions])
        model.eval()
        with counting(model) as start:
            encoded = model.encode(_tokens(search.sentences, search.source))
            caches = model.start(encoded, spec.decoding.beam)
        with counting(model) as step:
            tokens = _tokens(search.sentences * spec.decoding.beam)
            model.step(tokens, _middle_step(search, spec.decoding.beam), caches)
    trained = [weight.numel() for weight in model.parameters() if weight.requires_grad]
    return ModelCounts(
        parameters=sum(trained),
        **vars(update),
        **{
            f"search_{name}": value + search.target * getattr(step, name)
            for name, value in vars(start).items()
        },
    )


def _middle_step(search: BatchShape, beam: int) -> DecodeStep:
    """Return the step half way through the sentences, with one ancestor per position."""
    half = search.target // 2
    return DecodeStep(
        position=_tokens(search.sentences * beam),
        last=half,
        sentence=_tokens(search.sentences, 1),
        entry=_tokens(search.sentences, beam),
        mask=torch.ones(search.sentences, 1, beam, half + beam, dtype=torch.bool),
    )


def _tokens(*shape: int) -> Tensor:
    return torch.zeros(shape, dtype=torch.long)
