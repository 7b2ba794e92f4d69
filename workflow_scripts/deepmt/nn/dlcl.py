"""What a layer reads: the previous layer, or a learned combination of all earlier ones (DLCL)."""

from typing import Any, Literal

import torch
from torch import Tensor, nn

from deepmt.nn.mix import mix
from deepmt.nn.norm import NewNorm


class Previous(nn.Module):
    """x_{l+1} = y_l: the ordinary stack; `final` is the norm that ends it."""

    def __init__(self, final: nn.Module) -> None:
        super().__init__()
        self.final = final

    def begin(self) -> "Latest":
        """The history of one pass through the stack."""
        return Latest()


class Latest:
    """Remembers the last y alone."""

    def store(self, y: Tensor) -> None:
        """Take y_l [B, T, D]."""
        self.y = y

    def read(self) -> Tensor:
        """The input of the next layer."""
        return self.y


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

    def begin(self) -> "Combinations":
        """The history of one pass through the stack."""
        return Combinations(self)


class Combinations:
    """All v_k = before_k(y_k) of one pass as rows of V, the gradients of their sums as rows of G.

    x_i = W_i V is one product of a row with a matrix, and so are dW_i = V g_i and dv_k = W_.k G:
    each row of V is read once a layer and copied once in all, whatever the depth.
    """

    values: Tensor
    gradients: Tensor | None = None

    def __init__(self, of: DynamicCombination) -> None:
        self.of = of
        self.count = 0

    def store(self, y: Tensor) -> None:
        """Take y_k [B, T, D], normalised once for all its later readers."""
        y = self.of.before[self.count](y)
        if self.count == 0:
            self.shape = y.shape
            self.values = y.new_empty(self.of.weight.size(0), y.numel())
            self.token = y.new_zeros(())
        self.token = Keep.apply(y, self.token, self.of.weight.detach(), self, self.count)
        self.count += 1

    def read(self) -> Tensor:
        """The input of the next layer, or, after the last one, of the stack's final norm."""
        i = self.count - 1
        return self.of.after[i](Combine.apply(self.of.weight, self.token, self, i))


class Keep(torch.autograd.Function):
    """Copies y_k into V; on the way back dy_k = sum_{i>=k} W_ik g_i, when all g_i are there.

    They are, because the token that each Keep hands to the next, and to Combine, makes autograd
    visit all of those first.
    """

    @staticmethod
    def forward(
        ctx: Any, y: Tensor, token: Tensor, weight: Tensor, history: Combinations, k: int
    ) -> Tensor:
        """[B, T, D] -> a new token."""
        ctx.weight, ctx.history, ctx.k, ctx.dtype = weight, history, k, y.dtype
        history.values[k] = y.flatten()
        return token.clone()

    @staticmethod
    def backward(ctx: Any, *tokens: Tensor) -> tuple[Tensor | None, ...]:
        """dy_k, and nothing for the token."""
        history, last = ctx.history, ctx.history.count
        of_y = mix(ctx.weight[ctx.k : last, ctx.k], history.gradients[ctx.k : last])
        if ctx.k == 0:
            history.gradients = None
        return of_y.view(history.shape).to(ctx.dtype), tokens[0], None, None, None


class Combine(torch.autograd.Function):
    """x = sum_{k<=i} W_ik V_k; on the way back g_i is kept in G, and dW_ik = <g_i, V_k>."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, token: Tensor, history: Combinations, i: int) -> Tensor:
        """[N+1, N+1] -> [B, T, D]."""
        ctx.history, ctx.i = history, i
        return mix(weight[i, : i + 1], history.values[: i + 1]).view(history.shape)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, Tensor, None, None]:
        """dW, and a token."""
        history, i = ctx.history, ctx.i
        g = gradients[0].flatten()
        if history.gradients is None:
            history.gradients = torch.zeros_like(history.values)
        history.gradients[i] = g
        of_weight = None
        if ctx.needs_input_grad[0]:
            size = history.of.weight.size(0)
            of_weight = history.values.new_zeros(size, size)
            of_weight[i, : i + 1] = mix(history.values[: i + 1], g)
        return of_weight, g.new_zeros(()), None, None
