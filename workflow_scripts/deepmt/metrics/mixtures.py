"""What a model has learned to read of all its layers: transparent attention, DLCL."""

from typing import Any

import torch
from torch import nn

from deepmt.model.dlcl import DynamicCombination
from deepmt.model.transparent import Transparent


@torch.no_grad()
def mixtures(model: nn.Module) -> dict[str, list[Any]]:
    """Shares of h^0..h^N by reader (Bapna 2018, Eq. 1), rows W_i0..W_ii (Wang 2019, Eqs. 8-9).

    Shares are those of translation, without dropout. RNMT+ has no h^0. Empty for models that read
    their layers in no learned proportion.
    """
    found: dict[str, list[Any]] = {}
    if isinstance(model.memory, Transparent):
        model.memory.eval()
        found["memory"] = model.memory.shares().tolist()
    for stack in ("encoder", "decoder"):
        inputs = getattr(getattr(model, stack), "inputs", None)
        if isinstance(inputs, DynamicCombination):
            rows = inputs.weight.tolist()
            found[stack] = [row[: i + 1] for i, row in enumerate(rows)]
    return found
