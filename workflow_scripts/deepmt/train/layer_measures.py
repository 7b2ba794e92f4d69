"""Measure the layers of a model: norms of gradients, learned weights."""

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn


def gradient_norms(model: nn.Module) -> dict[str, list[float]]:
    """Return the L2 norm of each layer's gradient by stack, lowest first (Zhang 2019, Figure 1)."""
    norms = {
        stack: [
            torch.stack([p.grad.norm() for p in layer.parameters()]).norm()
            for layer in getattr(model, stack).layers
        ]
        for stack in ("encoder", "decoder")
    }
    # A GPU is waited for once a stack.
    return {stack: torch.stack(each).tolist() for stack, each in norms.items()}


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


class OutputGradients:
    """Compute |dL/dh_l| of the output h_l of every encoder layer; r_t = |dh_1| / |dh_N|.

    Squares of the gradients add up over the micro-batches of an update. With several workers, the
    norm is that of the first worker's rows. Hooks exist only from `begin` to `take`.
    """

    def __init__(self) -> None:
        self.squares: list[Tensor] = []
        self.hooks: list[Any] = []

    def begin(self, model: nn.Module) -> None:
        """Record the next backward passes and discard earlier ones."""
        self._end()
        layers = model.encoder.layers
        zero = torch.zeros((), device=next(model.parameters()).device)
        self.squares = [zero] * len(layers)
        for index, layer in enumerate(layers):
            self.hooks.append(layer.register_forward_hook(partial(self._register, index)))

    def take(self) -> dict[str, list[float]]:
        """Return the norms from the lowest layer up and stop recording."""
        self._end()
        return {"encoder": torch.stack(self.squares).sqrt().tolist()}

    def _register(self, index: int, layer: nn.Module, inputs: Any, output: Tensor) -> None:
        if output.requires_grad:
            output.register_hook(partial(self._add, index))

    def _add(self, index: int, gradient: Tensor) -> None:
        exact = torch.promote_types(gradient.dtype, torch.float32)
        square = torch.linalg.vector_norm(gradient, dtype=exact).square()
        self.squares[index] = self.squares[index].to(square) + square

    def _end(self) -> None:
        for hook in self.hooks:
            hook.remove()
        self.hooks = []
