"""What a layer reads: the previous layer, or a learned combination of all earlier ones (DLCL)."""

from typing import Any, Literal

import torch
from torch import Tensor, nn

from deepmt.nn.norm import NewNorm


class Previous(nn.Module):
    """x_{l+1} = y_l: the ordinary stack; `final` is the norm that ends it."""

    def __init__(self, final: nn.Module) -> None:
        super().__init__()
        self.final = final

    def store(self, history: list[Tensor], y: Tensor) -> None:
        """Append y_l [B, T, D]."""
        history.append(y)

    def read(self, history: list[Tensor]) -> Tensor:
        """The input of the next layer."""
        return history[-1]


class DynamicCombination(nn.Module):
    """x_{i+1} = after_i(sum_{k<=i} W_ik before_k(y_k)): Wang 2019, Eqs. 6-8; W_ik starts 1/(i+1).

    y_0 is the embedding, y_k the output of layer k. Pre-norm: before_k is a norm (one for each
    k >= 1; the released code leaves y_0 as it is, against Eq. 8), and `final` ends the stack.
    Post-norm: after_i is a norm (for i >= 1), and `final` does nothing. The whole square matrix is
    stored, as in the released code; the part above the diagonal is never read.
    """

    def __init__(
        self,
        layers: int,
        weights: Literal["learned", "one", "average"],
        norms: str,
        norm: NewNorm,
        final: nn.Module,
    ) -> None:
        super().__init__()
        rows = torch.arange(1, layers + 2, dtype=torch.float)[:, None].expand(-1, layers + 1)
        start = torch.ones_like(rows) if weights == "one" else 1 / rows
        self.weight = nn.Parameter(start.tril(), requires_grad=weights == "learned")
        self.before = self._norms(layers, norm if norms == "before" else nn.Identity)
        self.after = self._norms(layers, norm if norms == "after" else nn.Identity)
        self.final = final

    @staticmethod
    def _norms(layers: int, norm: NewNorm) -> nn.ModuleList:
        return nn.ModuleList([nn.Identity(), *(norm() for _ in range(layers))])

    def store(self, history: list[Tensor], y: Tensor) -> None:
        """Append before_k(y_k), once for all its later readers."""
        history.append(self.before[len(history)](y))

    def read(self, history: list[Tensor]) -> Tensor:
        """The input of the next layer, or, after the last one, of the stack's final norm."""
        i = len(history) - 1
        return self.after[i](WeightedSum.apply(self.weight[i, : i + 1], *history))


class WeightedSum(torch.autograd.Function):
    """sum_k w_k y_k without a stacked copy of the y_k: they are saved by reference."""

    @staticmethod
    def forward(ctx: Any, weights: Tensor, *terms: Tensor) -> Tensor:
        """Weights [n], n terms of one shape -> that shape."""
        ctx.save_for_backward(weights, *terms)
        total = terms[0] * weights[0]
        for weight, term in zip(weights[1:], terms[1:], strict=True):
            total.addcmul_(term, weight)
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """dw_k = <g, y_k>, dy_k = w_k g."""
        weights, *terms = ctx.saved_tensors
        (gradient,) = gradients
        flat = gradient.flatten()
        of_weights = None
        if ctx.needs_input_grad[0]:
            of_weights = torch.stack([torch.dot(flat, term.flatten()) for term in terms])
        return of_weights, *(gradient * weight for weight in weights)
