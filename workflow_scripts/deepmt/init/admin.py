"""Initialise by ADMIN (Liu 2020, section 3): measure residual weights on one batch."""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import torch
from torch import Tensor, nn

from deepmt.data.vocabulary import PAD
from deepmt.init import glorot
from deepmt.init.glorot import Batch
from deepmt.model.attention import SelfAttention
from deepmt.model.sublayer import Sublayer
from deepmt.settings.spec import Spec


@torch.no_grad()
def admin_(
    model: nn.Module,
    source: Tensor,
    target: Tensor,
    mode: Literal["sequential", "paper"] = "sequential",
) -> dict[str, list[float]]:
    """Set every omega from one forward pass of the first batch, with dropout; return the profile.

    sequential (released code): each stack has an accumulator a, initially 1; sublayer i gets
    omega_i = a, is computed with it, and then a = sqrt(Var(omega_i * x_{i-1}) + Var(f_i)).
    paper: omega_i = sqrt(sum_{j<i} Var(f_j)) of the unweighted forward pass, omega_1 = 1.
    Variances are over all elements of a tensor, in float32, padded positions included. As in the
    released code, these enter each stack as zeros, and nothing attends to them.
    """
    was_training = model.training
    model.train()
    profiles = {name: Profile(mode) for name in ("encoder", "decoder")}
    handles = []
    for tokens, (name, profile) in zip((source, target), profiles.items(), strict=True):
        stack, real = getattr(model, name), tokens != PAD
        handles.append(stack.layers[0].register_forward_pre_hook(partial(zero_padding, real)))
        for module in stack.modules():
            if isinstance(module, Sublayer):
                handles.append(module.residual.register_forward_pre_hook(profile.record))
            elif isinstance(module, SelfAttention) and name == "decoder":
                handles.append(module.register_forward_pre_hook(partial(hide_padding, real)))
    model(source, target)
    for handle in handles:
        handle.remove()
    model.train(was_training)
    for profile in profiles.values():
        profile.fill()
    return {name: profile.omegas for name, profile in profiles.items()}


def zero_padding(real: Tensor, layer: nn.Module, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Set the input of a layer to 0 at padded positions; `real` [B, T] is false there."""
    return inputs[0] * real[:, :, None], *inputs[1:]


def hide_padding(real: Tensor, layer: nn.Module, inputs: tuple[Tensor]) -> tuple[Tensor, Tensor]:
    """Make even padded positions of the decoder attend to earlier real positions only."""
    earlier = real.new_ones(real.size(1), real.size(1)).tril()
    return inputs[0], earlier & real[:, None, None, :]


class Profile:
    """Accumulate the variances of one stack, in the order of the forward pass."""

    def __init__(self, mode: str) -> None:
        self.sequential = mode == "sequential"
        self.accumulator = 1.0
        self.updates = 0.0
        self.omegas: list[float] = []
        self.vectors: list[Tensor] = []

    def record(self, residual: nn.Module, inputs: tuple[Tensor, Tensor]) -> None:
        """Record the inputs of a residual connection; in sequential mode, set its omega."""
        x, update = inputs
        self.omegas.append(self.accumulator)
        self.vectors.append(residual.omega.data)
        if self.sequential:
            residual.omega.data.fill_(self.accumulator)
            total = variance(residual.omega * x) + variance(update)
        else:
            self.updates += variance(update)
            total = self.updates
        self.accumulator = total**0.5

    def fill(self) -> None:
        """Write the omegas into the model."""
        for vector, omega in zip(self.vectors, self.omegas, strict=True):
            vector.fill_(omega)


def variance(x: Tensor) -> float:
    """Return the population variance over all elements."""
    return float(x.float().var(correction=0))


def initialisation(model: nn.Module, spec: Spec, batch: Callable[[], Batch]) -> dict[str, Any]:
    """Draw weights by `glorot`, then measure the omegas; return the profile."""
    glorot.initialisation(model, spec, batch)
    return admin_(model, *batch(), spec.method.initialisation.profile)
