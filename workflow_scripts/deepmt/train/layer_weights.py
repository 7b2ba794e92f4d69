"""Read the learned weights of layers: transparent attention, DLCL."""

from typing import Any

import torch
from torch import nn


@torch.no_grad()
def layer_weights(model: nn.Module) -> dict[str, list[Any]]:
    """Return the learned weights of layers by the module that combines them.

    The result is empty for models without learned layer weights.
    """
    modules = {"encoder_output": model.encoder_output} | {
        stack: getattr(getattr(model, stack), "aggregation", None)
        for stack in ("encoder", "decoder")
    }
    return {
        name: module.layer_weights()
        for name, module in modules.items()
        if hasattr(module, "layer_weights")
    }
