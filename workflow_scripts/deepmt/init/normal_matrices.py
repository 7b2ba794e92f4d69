"""Initialise as HuggingFace Transformers does (MarianConfig, init_std: 0.02)."""

from typing import Any

import torch
from torch import nn

from deepmt.init.glorot import details_
from deepmt.settings.spec import Spec

DEVIATION = 0.02


@torch.no_grad()
def initialisation(model: nn.Module, spec: Spec, batch: object) -> dict[str, Any]:
    """Draw matrices and embeddings normally with deviation 0.02; biases are 0, gains 1."""
    for module in model.modules():
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=DEVIATION)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)
    details_(model, spec.model)
    return {}
