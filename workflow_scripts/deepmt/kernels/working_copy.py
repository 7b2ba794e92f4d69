"""Compute with bfloat16 copies of weights that are cast once an update, not once a use.

Autocast casts every weight in the forward pass and every gradient in the backward pass, and keeps
the sums of residual connections in float32. Here a copy of the model has bfloat16 weights in its
linear layers; it shares all other parameters, and its activations are bfloat16 from the embedding
on. Norms, softmax, loss and optimiser compute in float32 inside. CUDA's norms take weights of the
type of their input only, so there the copy has norms of its own, too.
"""

from copy import deepcopy
from typing import Any

import torch
from torch import Tensor, nn


class WorkingCopy:
    """Compute W' = bfloat16(W) for weights W of the model, and dW = float32(dW')."""

    def __init__(self, model: nn.Module) -> None:
        self.model: nn.Module = deepcopy(model, {id(p): p for p in model.parameters()})
        self.masters: list[nn.Parameter] = []
        self.copies: list[nn.Parameter] = []
        on_gpu = next(model.parameters()).device.type == "cuda"
        converted = (nn.Linear, nn.LayerNorm) if on_gpu else (nn.Linear,)
        for layer in self.model.modules():
            if isinstance(layer, nn.Embedding):
                layer.register_forward_hook(cast)
            elif isinstance(layer, converted):
                for name, master in [*layer.named_parameters(recurse=False)]:
                    copy = nn.Parameter(master.detach().bfloat16())
                    setattr(layer, name, copy)
                    self.masters.append(master)
                    self.copies.append(copy)

    @torch.no_grad()
    def read_weights(self) -> None:
        """Cast the weights of the model."""
        torch._foreach_copy_(self.copies, self.masters)

    @torch.no_grad()
    def add_gradients(self) -> None:
        """Add the gradients to those of the model, and reset them."""
        pairs = zip(self.copies, self.masters, strict=True)
        known = [(copy.grad, master.grad) for copy, master in pairs if copy.grad is not None]
        if known:
            found, sums = zip(*known, strict=True)
            # A GPU takes lists in a few calls, unless it must cast and add at once.
            exact = [torch.empty_like(total) for total in sums]
            torch._foreach_copy_(exact, found)
            torch._foreach_add_(sums, exact)
        self.zero_gradient()

    def zero_gradient(self) -> None:
        """Reset the gradients."""
        for copy in self.copies:
            copy.grad = None


def cast(table: nn.Module, inputs: Any, rows: Tensor) -> Tensor:
    """Return the rows of an embedding in bfloat16; their gradient adds up in float32."""
    return rows.to(torch.bfloat16)
