"""The error signal that reaches each encoder layer (Bapna 2018, section 2.3)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


class OutputGradients:
    """|dL/dh_l| of the output h_l of every encoder layer, in one update; r_t = |dh_1| / |dh_N|.

    An update may be computed in parts: squares of their gradients add up. With several workers the
    norm is that of the first one's share of the batch. Hooks exist from `begin` to `take` only.
    """

    def __init__(self) -> None:
        self.squares: list[Tensor] = []
        self.hooks: list[Any] = []

    def begin(self, model: nn.Module) -> None:
        """Record the next backward passes and forget earlier ones."""
        self._end()
        layers = list(model.encoder.layers)
        self.squares = [torch.zeros(())] * len(layers)
        self.hooks = [layer.register_forward_hook(self._at(i)) for i, layer in enumerate(layers)]

    def take(self, model: nn.Module) -> dict[str, list[float]]:
        """Return the norms from the lowest layer on and stop recording."""
        self._end()
        return {"encoder": [float(square.sqrt()) for square in self.squares]}

    def _at(self, index: int) -> Callable[[nn.Module, Any, Tensor], None]:
        def add(gradient: Tensor) -> None:
            exact = torch.promote_types(gradient.dtype, torch.float32)
            square = torch.linalg.vector_norm(gradient, dtype=exact).square()
            self.squares[index] = self.squares[index].to(square) + square

        def listen(layer: nn.Module, inputs: Any, output: Tensor) -> None:
            if output.requires_grad:
                output.register_hook(add)

        return listen

    def _end(self) -> None:
        for hook in self.hooks:
            hook.remove()
        self.hooks = []
