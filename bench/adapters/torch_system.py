"""The parts that systems built on torch share: tensors, fused Adam, one update, one search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bench.protocol import System, Task, each, own_peak_memory_mb
from bench.sentences import Sentences
from bench.workload import Batch

LEARNING_RATE = 1e-4
BETAS = (0.9, 0.98)
DROPOUT = 0.1
LABEL_SMOOTHING = 0.1

Hypotheses = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Tensors:
    """A batch on the device."""

    source: Tensor
    target: Tensor
    decoder_input: Tensor
    source_lengths: Tensor
    target_lengths: Tensor

    @classmethod
    def of(cls, batch: Batch, device: str) -> "Tensors":
        """All arrays of a batch."""
        names = cls.__dataclass_fields__
        return cls(*(torch.from_numpy(getattr(batch, name)).to(device) for name in names))


def num_parameters(model: nn.Module) -> int:
    """Trained numbers, tied ones once."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


def peak_memory_mb(device: str) -> float:
    """Of the GPU if the model is there."""
    if device == "cuda":
        return torch.cuda.max_memory_allocated() / 2**20
    return own_peak_memory_mb()


def insist_on(model: nn.Module, precision: str) -> None:
    """Let the first update fail if a layer computes in another precision than was asked for.

    An engine that chooses by itself would otherwise be measured under a wrong name.
    """

    def check(layer: nn.Module, inputs: object, output: Tensor) -> None:
        hooks[layer].remove()
        if output.dtype != getattr(torch, precision):
            raise ValueError(f"a layer computes in {output.dtype}, asked for was {precision}")

    layers = (m for m in model.modules() if isinstance(m, nn.Linear))
    hooks = {layer: layer.register_forward_hook(check) for layer in layers}


def trained(
    model: nn.Module, loss: Callable[[Tensors], Tensor], task: Task, *, name: str, version: str
) -> System:
    """The system that minimises `loss`, a mean over target tokens, by torch's fused Adam."""
    model.to(task.device).train()
    insist_on(model, task.precision)
    optimiser = torch.optim.AdamW(
        model.parameters(), lr=LEARNING_RATE, betas=BETAS, weight_decay=0.0, fused=True
    )
    autocast = torch.autocast(
        task.device, dtype=torch.bfloat16, enabled=task.precision == "bfloat16"
    )

    def step(batch: Batch) -> float:
        with autocast:
            value = loss(Tensors.of(batch, task.device))
        value.backward()
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        return value.detach().item()

    return System(
        name=name,
        version=version,
        parameters=num_parameters(model),
        run=each(step),
        peak_memory_mb=lambda: peak_memory_mb(task.device),
    )


def only(task: Task, *precisions: str) -> None:
    """Refuse a precision that this worker does not translate in.

    Raises:
        ValueError: such a one is asked for.
    """
    if task.precision not in precisions:
        raise ValueError(f"translates in {' and '.join(precisions)} only, not in {task.precision}")


def translating(
    search: Callable[[Tensor, Tensor], Hypotheses],
    task: Task,
    *,
    name: str,
    version: str,
    parameters: int,
) -> System:
    """The system that translates by `search`, a function of source [B, S] and lengths [B]."""

    def step(sentences: Sentences) -> Hypotheses:
        source = torch.from_numpy(sentences.source).to(task.device)
        lengths = torch.from_numpy(sentences.source_lengths).to(task.device)
        return search(source, lengths)

    return System(
        name=name,
        version=version,
        parameters=parameters,
        run=each(step),
        peak_memory_mb=lambda: peak_memory_mb(task.device),
    )
