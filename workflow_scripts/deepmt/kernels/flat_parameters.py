"""All weights in one piece of memory, all gradients in another: one call instead of hundreds.

A deep narrow model has some 400 tensors, and an optimiser that takes them one by one spends more
time on calls than on numbers. Only the rounding of the gradient's norm depends on it.
"""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

ALIGNED = 16
"""Every tensor begins at a multiple of this many numbers, a line of the processor's cache."""


class FlatParameters:
    """The trained parameters of a model, which become views of `weights`; gradients likewise."""

    def __init__(self, parameters: Iterable[nn.Parameter]) -> None:
        trained = [parameter for parameter in parameters if parameter.requires_grad]
        sizes = [-(-parameter.numel() // ALIGNED) * ALIGNED for parameter in trained]
        # Apart: a checkpoint of views of one memory would hold all of it, gradients too.
        memory = [trained[0].new_zeros(sum(sizes)) for _ in ("weights", "gradients")]
        for parameter, *own in zip(trained, *(row.split(sizes) for row in memory), strict=True):
            weight, gradient = (part[: parameter.numel()].view_as(parameter) for part in own)
            weight.copy_(parameter.detach())
            parameter.data, parameter.grad = weight, gradient
        self.weights = nn.Parameter(memory[0])
        self.weights.grad = memory[1]

    @property
    def gradient(self) -> Tensor:
        """The gradient of all weights: [N]."""
        assert self.weights.grad is not None
        return self.weights.grad

    def norm(self) -> Tensor:
        """sqrt(sum g^2), a scalar."""
        return torch.linalg.vector_norm(self.gradient)

    def zero_gradient(self) -> None:
        """Set the gradient to zero."""
        self.gradient.zero_()
