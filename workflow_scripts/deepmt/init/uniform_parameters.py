"""Initialise as OpenNMT-py and eole do by default (param_init: 0.1)."""

from typing import Any

import torch
from torch import nn

from deepmt.init.glorot import details_
from deepmt.model.embedding import Embedding
from deepmt.settings.spec import Spec

BOUND = 0.1
DRAWN = (nn.Linear, nn.Embedding, Embedding, nn.LayerNorm)


@torch.no_grad()
def initialisation(model: nn.Module, spec: Spec, batch: object) -> dict[str, Any]:
    """Draw weights, biases and gains of norms uniformly from +-0.1.

    What a method adds, such as the weights of DLCL, begins as it says.
    """
    for module in model.modules():
        if isinstance(module, DRAWN):
            for parameter in module.parameters(recurse=False):
                nn.init.uniform_(parameter, -BOUND, BOUND)
    details_(model, spec.model)
    return {}
