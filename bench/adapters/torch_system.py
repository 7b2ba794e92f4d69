"""Share tensors, fused Adam and update between systems built on torch."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bench.worker import System, Task, each
from bench.workload import TrainingBatch

LEARNING_RATE = 1e-4
BETAS = (0.9, 0.98)
DROPOUT = 0.1
LABEL_SMOOTHING = 0.1
FORBIDDEN = -1e4
"""Bias of a forbidden token; small enough to keep float32 precision in a sum."""


@dataclass(frozen=True)
class Tensors:
    """Hold a training batch on the device."""

    source: Tensor
    target: Tensor
    decoder_input: Tensor
    source_lengths: Tensor
    target_lengths: Tensor

    @classmethod
    def of(cls, batch: TrainingBatch, device: str) -> "Tensors":
        """Move all arrays of a batch to the device."""
        names = cls.__dataclass_fields__
        return cls(*(torch.from_numpy(getattr(batch, name)).to(device) for name in names))


def trained(
    model: nn.Module, loss: Callable[[Tensors], Tensor], task: Task, *, name: str, version: str
) -> System:
    """Return a system that minimises `loss`, a mean over target tokens, by torch's fused Adam."""
    model.to(task.device).train()
    insist_on(model, task.precision)
    optimiser = torch.optim.AdamW(
        model.parameters(), lr=LEARNING_RATE, betas=BETAS, weight_decay=0.0, fused=True
    )

    def step(batch: TrainingBatch) -> float:
        with autocast(task):
            value = loss(Tensors.of(batch, task.device))
        value.backward()
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        return value.detach().item()

    return System(name=name, version=version, parameters=num_parameters(model), run=each(step))


def autocast(task: Task) -> torch.autocast:
    """Return the autocast context for the task's precision."""
    reduced = task.precision == "bfloat16"
    return torch.autocast(task.device, dtype=torch.bfloat16, enabled=reduced)


def num_parameters(model: nn.Module) -> int:
    """Count the trainable parameters, tied ones once."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


def insist_on(model: nn.Module, precision: str) -> None:
    """Make the first pass fail if a layer does not compute in the requested precision.

    A system that chooses a precision by itself would otherwise be measured under a wrong name.
    """

    def check(layer: nn.Module, inputs: object, output: Tensor) -> None:
        hooks[layer].remove()
        if output.dtype != getattr(torch, precision):
            raise ValueError(f"a layer computes in {output.dtype}, not in {precision}")

    layers = (m for m in model.modules() if isinstance(m, nn.Linear))
    hooks = {layer: layer.register_forward_hook(check) for layer in layers}
