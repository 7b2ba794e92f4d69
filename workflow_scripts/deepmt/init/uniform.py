"""The initialisation of RNMT+ (Chen 2018, by lingvo)."""

from typing import Any

import torch
from torch import nn

from deepmt.config.spec import Spec
from deepmt.model.additive_attention import AdditiveAttention
from deepmt.model.lstm import Lstm

BOUND = 0.04


@torch.no_grad()
def rnmt_uniform_(model: nn.Module) -> None:
    """Draw LSTM kernels, embeddings, softmax uniform on +-0.04; biases and s (gain 1 + s) are 0.

    The encoder's projection and attention's W_s and W_q are Glorot uniform, attention's A, B and v
    normal with deviation K^-0.5: as lingvo leaves them. With +-0.04 there too, narrow models hardly
    learn to attend.
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
