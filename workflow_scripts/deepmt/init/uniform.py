"""Initialise RNMT+ (Chen 2018) as lingvo does."""

from typing import Any

import torch
from torch import nn

from deepmt.model.additive_attention import AdditiveAttention
from deepmt.model.lstm import Lstm
from deepmt.settings.spec import Spec

BOUND = 0.04


@torch.no_grad()
def rnmt_uniform_(model: nn.Module) -> None:
    """Draw LSTM kernels, embeddings and softmax uniformly from +-0.04; biases and s are 0.

    The gain is 1 + s. As in lingvo, the encoder's projection and W_s and W_q of attention are
    Glorot uniform; A, B and v of attention are normal with standard deviation K^-0.5. If they too
    were drawn from +-0.04, narrow models would hardly learn to attend.
    """
    for module in model.modules():
        if isinstance(module, nn.Embedding):
            nn.init.uniform_(module.weight, -BOUND, BOUND)
        elif isinstance(module, Lstm):
            nn.init.uniform_(module.kernel, -BOUND, BOUND)
            nn.init.zeros_(module.scale)
            nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
    for module in model.modules():
        if isinstance(module, AdditiveAttention):
            for part in (module.of_key, module.of_query, module.score):
                nn.init.normal_(part.weight, std=part.in_features**-0.5)
    nn.init.uniform_(model.output.weight, -BOUND, BOUND)


def initialisation(model: nn.Module, spec: Spec, batch: object) -> dict[str, Any]:
    """Draw the weights of RNMT+."""
    rnmt_uniform_(model)
    return {}
