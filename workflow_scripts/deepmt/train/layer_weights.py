"""The weights by which a model has learned to read its layers: transparent attention, DLCL."""

from typing import Any

import torch
from torch import nn


@torch.no_grad()
def layer_weights(model: nn.Module) -> dict[str, list[Any]]:
    """Return the learned weights of layers, by the part of the model that reads them.

    Empty for models that read their layers in no learned proportion.
    """
    readers = {"memory": model.encoder_output} | {
        stack: getattr(getattr(model, stack), "aggregation", None)
        for stack in ("encoder", "decoder")
    }
    return {
        name: reader.layer_weights()
        for name, reader in readers.items()
        if hasattr(reader, "layer_weights")
    }
