"""Implement linear layers, y = x W^T + b."""

from torch import Tensor, nn

from deepmt.kernels import fast_linear
from deepmt.kernels.fast_form import fast_form


@fast_form(fast_linear.linear)
def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return x W^T + b: [..., I], [O, I], [O] -> [..., O]."""
    return nn.functional.linear(x, weight, bias)


@fast_form(fast_linear.rectified_linear)
def rectified_linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return max(0, x W^T + b): [..., I], [O, I], [O] -> [..., O]."""
    return nn.functional.relu(nn.functional.linear(x, weight, bias))


class Linear(nn.Linear):
    """Apply `linear` in place of nn.Linear."""

    def forward(self, x: Tensor) -> Tensor:
        """Return all outputs: [..., I] -> [..., O]."""
        return linear(x, self.weight, self.bias)

    def rectified(self, x: Tensor) -> Tensor:
        """Return max(0, x W^T + b): [..., I] -> [..., O]."""
        return rectified_linear(x, self.weight, self.bias)

    def part(self, x: Tensor, rows: slice) -> Tensor:
        """Return only the outputs of these rows of W: [..., I] -> [..., rows]."""
        return linear(x, self.weight[rows], self.bias[rows])
