"""Store all weights in one buffer and all gradients in another to save hundreds of calls.

A deep narrow model has some 400 tensors, and an optimiser that updates them one by one spends more
time on calls than on arithmetic. Only the rounding of the gradient norm depends on it.
"""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

ALIGNMENT = 16
"""Numbers in a cache line; every tensor starts at a multiple."""


class FlatParameters:
    """Make the trained parameters and gradients of a model views of two flat buffers."""

    def __init__(self, parameters: Iterable[nn.Parameter]) -> None:
        trained = [parameter for parameter in parameters if parameter.requires_grad]
        sizes = [-(-parameter.numel() // ALIGNMENT) * ALIGNMENT for parameter in trained]
        # Two buffers: a checkpoint of views of a common one would store the gradients, too.
        buffers = [trained[0].new_zeros(sum(sizes)) for _ in ("weights", "gradients")]
        for parameter, *own in zip(trained, *(row.split(sizes) for row in buffers), strict=True):
            weight, gradient = (part[: parameter.numel()].view_as(parameter) for part in own)
            weight.copy_(parameter.detach())
            parameter.data, parameter.grad = weight, gradient
        self.parameters = trained
        self.weights = nn.Parameter(buffers[0])
        self.weights.grad = buffers[1]

    @property
    def gradient(self) -> Tensor:
        """Return the gradient of all weights: [N]."""
        assert self.weights.grad is not None
        return self.weights.grad

    def norm(self) -> Tensor:
        """Return the gradient norm sqrt(sum g^2), a scalar tensor."""
        return torch.linalg.vector_norm(self.gradient)

    def zero_gradient(self) -> None:
        """Set the gradient to zero."""
        self.gradient.zero_()
