"""torch's own optimisers in their fastest form."""

import torch
from torch import nn

from deepmt.spec import Training


def optimiser(model: nn.Module, recipe: Training) -> torch.optim.Optimizer:
    """Adam, or RAdam (Liu 2020; rho_inf = 99 at beta2 .98, rectified from the sixth step on).

    Weight decay is decoupled (p -= decay * lr * p), as in Liu's code.
    """
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    betas = (recipe.beta1, recipe.beta2)
    if recipe.optimizer == "radam":
        return torch.optim.RAdam(
            trained,
            betas=betas,
            eps=recipe.epsilon,
            weight_decay=recipe.weight_decay,
            decoupled_weight_decay=True,
        )
    return torch.optim.AdamW(
        trained, betas=betas, eps=recipe.epsilon, weight_decay=recipe.weight_decay, fused=True
    )
