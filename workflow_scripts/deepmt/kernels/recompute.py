"""Let layers keep only their inputs and run again in the backward pass."""

from typing import Any

from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


def recompute(layer: nn.Module) -> None:
    """Let a layer drop its activations in training, which saves memory for a third more time."""
    forward = layer.forward

    def run(*inputs: Tensor) -> Any:
        if layer.training:
            return checkpoint(forward, *inputs, use_reentrant=False)
        return forward(*inputs)

    layer.forward = run
