"""Create torch's optimisers in their fastest form."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import nn

from deepmt.config.spec import Training


def optimiser(weights: Iterable[nn.Parameter], recipe: Training) -> torch.optim.Optimizer:
    """Return Adam, or RAdam (Liu 2020; rho_inf = 99 at beta2 .98, rectified from the sixth step).

    Weight decay is decoupled (p -= decay * lr * p), as in Liu's code.
    """
    options: Any = {
        "betas": (recipe.beta1, recipe.beta2),
        "eps": recipe.epsilon,
        "weight_decay": recipe.weight_decay,
    }
    if recipe.optimizer == "radam":
        return torch.optim.RAdam(weights, **options, decoupled_weight_decay=True)
    return torch.optim.AdamW(weights, **options, fused=True)
