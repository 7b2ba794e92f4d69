"""y = x W^T + b."""

from torch import Tensor, nn

from deepmt.kernels import onednn_linear
from deepmt.kernels.fast_form import fast_form


@fast_form(onednn_linear.linear)
def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """x W^T + b: [..., I], [O, I], [O] -> [..., O]."""
    return nn.functional.linear(x, weight, bias)


class Linear(nn.Linear):
    """nn.Linear by `linear`."""

    def forward(self, x: Tensor) -> Tensor:
        """[..., I] -> [..., O]."""
        return linear(x, self.weight, self.bias)

    def part(self, x: Tensor, rows: slice) -> Tensor:
        """Compute some of the outputs alone: [..., I] -> [..., rows]."""
        return linear(x, self.weight[rows], self.bias[rows])
