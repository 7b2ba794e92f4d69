"""Create torch's optimisers in their fastest form."""

from collections.abc import Iterable
from functools import partial
from typing import Any, TypeAlias

import torch
from torch import nn

from deepmt.kernels.flat_parameters import FlatParameters
from deepmt.settings.spec import Training
from deepmt.train.fused_adam import FusedAdam
from deepmt.train.muon import MuonAndAdam

AnyAdam: TypeAlias = torch.optim.Optimizer | FusedAdam


def optimiser_of(model: nn.Module, flat: FlatParameters, recipe: Training) -> AnyAdam | MuonAndAdam:
    """Return the optimiser of all trained weights of a model."""
    if recipe.optimizer == "muon":
        return MuonAndAdam(model, flat, partial(optimiser, recipe=recipe), recipe.weight_decay)
    return optimiser([flat.weights], recipe)


def optimiser(weights: Iterable[nn.Parameter], recipe: Training) -> AnyAdam:
    """Return Adam, or RAdam (Liu 2020; rho_inf = 99 at beta2 .98, rectified from the 6th step)."""
    options: Any = {
        "betas": (recipe.beta1, recipe.beta2),
        "eps": recipe.epsilon,
        "weight_decay": recipe.weight_decay,
    }
    if recipe.optimizer == "radam":
        return torch.optim.RAdam(weights, **options, decoupled_weight_decay=True)
    return FusedAdam(weights, **options)


def epsilon_of(recipe: Training, step: int) -> float:
    """Return the epsilon that Algorithm 1 of Kingma 2015 has in place of epsilon-hat at a step.

    m / (sqrt(v) + eps^) * sqrt(1 - b2^t) = m / (sqrt(v / (1 - b2^t)) + eps^ / sqrt(1 - b2^t)).
    """
    return recipe.epsilon / (1 - recipe.beta2**step) ** 0.5
