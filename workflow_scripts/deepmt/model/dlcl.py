"""What a layer reads: the previous layer, or a learned combination of all earlier ones (DLCL)."""

from typing import Any, Literal

import torch
from torch import Tensor, nn

from deepmt.model.mix import combine, mix
from deepmt.model.norm import NewNorm


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
    """x_{i+1} = after_i(sum_{k<=i} W_ik before_k(y_k)): Wang 2019, Eqs. 7-9; W_ik starts 1/(i+1).

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
        self.spare: list[Tensor] = []

    def room(self, numel: int, like: Tensor) -> Tensor:
        """Memory for a row of `numel` values a layer, from an earlier pass if that fits.

        Fresh memory of this size costs an update up to a tenth of its time on a CPU: the operating
        system takes blocks back at once and fills them with zeros again.
        """
        needed = self.weight.size(0) * numel
        for i, found in enumerate(self.spare):
            if (found.dtype, found.device) == (like.dtype, like.device) and len(found) >= needed:
                return self.spare.pop(i)[:needed].view(-1, numel)
        self.spare.clear()
        return like.new_empty(needed).view(-1, numel)

    def give_back(self, *rooms: Tensor) -> None:
        """A pass needs its memory no more."""
        self.spare += [room._base if room._base is not None else room for room in rooms]

    @staticmethod
    def _norms(layers: int, norm: NewNorm) -> nn.ModuleList:
        return nn.ModuleList([nn.Identity(), *(norm() for _ in range(layers))])

    def begin(self) -> "Combinations":
        """The history of one pass through the stack."""
        return Combinations(self)


class Combinations:
    """All v_k = before_k(y_k) of one pass as rows of V, the gradients of their sums as rows of G.

    x_i = W_i V is one product of a row with a matrix, and so is dv_k = W_.k G: each row of V is
    read once a layer and copied once in all, whatever the depth. dW = G V^T is one more at the end.
    """

    values: Tensor
    gradients: Tensor | None = None
    token: Tensor

    def __init__(self, of: DynamicCombination) -> None:
        self.of = of
        self.count = 0

    def store(self, y: Tensor) -> None:
        """Take y_k [B, T, D], normalised once for all its later readers."""
        y = self.of.before[self.count](y)
        if self.count == 0:
            self.shape = y.shape
            self.values = self.of.room(y.numel(), y)
            self.token = y.new_zeros(())
        self.token = Keep.apply(y, self.token, self.of.weight, self, self.count)
        self.count += 1

    def read(self) -> Tensor:
        """The input of the next layer, or, after the last one, of the stack's final norm."""
        i = self.count - 1
        return self.of.after[i](Combine.apply(self.token, self, i))

    def of_weight(self) -> Tensor:
        """dW_ik = <g_i, v_k>: [count, count]."""
        assert self.gradients is not None
        return mix(self.gradients[: self.count], self.values[: self.count].t())

    def end(self) -> None:
        """The way back is done: let go of the memory, and of the graph that holds this history."""
        self.of.give_back(self.values, self.gradients)
        del self.values, self.gradients, self.token


class Keep(torch.autograd.Function):
    """Copies y_k into V; on the way back dy_k = sum_{i>=k} W_ik g_i, when all g_i are there.

    They are, because the token that each Keep hands to the next, and to Combine, makes autograd
    visit all of those first. The Keep of y_0 is the last of all: it answers for dW too.
    """

    @staticmethod
    def forward(
        ctx: Any, y: Tensor, token: Tensor, weight: Tensor, history: Combinations, k: int
    ) -> Tensor:
        """[B, T, D], a token, [N+1, N+1] -> a new token."""
        ctx.weight, ctx.history, ctx.k, ctx.dtype = weight.detach(), history, k, y.dtype
        history.values[k] = y.flatten()
        return token.clone()

    @staticmethod
    def backward(ctx: Any, *tokens: Tensor) -> tuple[Tensor | None, ...]:
        """dy_k, nothing for the token, dW from the last."""
        history, last = ctx.history, ctx.history.count
        of_y = combine(ctx.weight[ctx.k : last, ctx.k], history.gradients[ctx.k : last])
        of_weight = None
        if ctx.k == 0:
            if ctx.needs_input_grad[2]:
                of_weight = torch.zeros_like(ctx.weight)
                of_weight[:last, :last] = history.of_weight().tril()
            history.end()
        return of_y.view(history.shape).to(ctx.dtype), tokens[0], of_weight, None, None


class Combine(torch.autograd.Function):
    """x = sum_{k<=i} W_ik V_k; on the way back g_i is kept in G."""

    @staticmethod
    def forward(ctx: Any, token: Tensor, history: Combinations, i: int) -> Tensor:
        """A token -> [B, T, D]."""
        ctx.history, ctx.i = history, i
        weight = history.of.weight.detach()
        return combine(weight[i, : i + 1], history.values[: i + 1]).view(history.shape)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        """A token."""
        history, g = ctx.history, gradients[0].flatten()
        if history.gradients is None:
            history.gradients = history.of.room(g.numel(), g).zero_()
        history.gradients[ctx.i] = g
        return g.new_zeros(()), None, None
