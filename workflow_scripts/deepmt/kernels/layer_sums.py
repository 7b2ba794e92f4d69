"""Compute weighted sums of layer outputs in full precision, even under autocast."""

from typing import Any

import torch
from torch import Tensor


def weighted_sums(weights: Tensor, layers: Tensor) -> Tensor:
    """Return weights @ layers, which autocast would round: [..., N], [N, X] -> [..., X]."""
    with torch.autocast(layers.device.type, enabled=False):
        return weights.to(layers.dtype) @ layers


class LayerSums:
    """Compute s_i = sum_{k<=i} W_ik v_k of one pass; v_k are rows of V, gradients rows of G.

    s_i = W_i V is one product of a row and a matrix, and so is dv_k = W_.k G: at any depth, each
    row of V is read once per layer and copied only once. dW = G V^T is one more product at the end.
    """

    values: Tensor
    gradients: Tensor | None = None
    sum: Tensor
    token: Tensor | None = None

    def __init__(self, weight: Tensor) -> None:
        self.weight = weight
        self.count = 0

    def append(self, v: Tensor) -> None:
        """Add v_k [B, T, D]."""
        if self.count == 0:
            self.values = v.new_empty(len(self.weight), v.numel())
        self.sum, self.token = NextSum.apply(v, self.token, self.weight, self, self.count)
        self.count += 1

    def last(self) -> Tensor:
        """Return s_i of the newest row i."""
        return self.sum

    def weight_gradient(self) -> Tensor:
        """Return dW_ik = <g_i, v_k>: [count, count]."""
        assert self.gradients is not None
        return weighted_sums(self.gradients[: self.count], self.values[: self.count].t())

    def end(self) -> None:
        """Release the memory, and the graph that holds this object, after the backward pass."""
        del self.values, self.gradients, self.sum, self.token


class NextSum(torch.autograd.Function):
    """Copy v_k into V and compute s_k; in the backward pass store g_k in G and compute dv_k.

    Each call passes a token to the next one, so autograd visits that one first and all g_i are
    known. The call for v_0 is visited last and returns dW, too.
    """

    @staticmethod
    def forward(
        ctx: Any, v: Tensor, token: Tensor | None, weight: Tensor, sums: LayerSums, k: int
    ) -> tuple[Tensor, Tensor]:
        """Return s_k and a new token: v [B, T, D], weight [N+1, N+1] -> [B, T, D], []."""
        ctx.weight, ctx.sums, ctx.k, ctx.dtype = weight.detach(), sums, k, v.dtype
        sums.values[k] = v.flatten()
        out = weighted_sums(ctx.weight[k, : k + 1], sums.values[: k + 1])
        return out.view_as(v), v.new_empty(())

    @staticmethod
    def backward(ctx: Any, g: Tensor, token: Tensor) -> tuple[Tensor | None, ...]:
        """Return dv_k, the token's gradient and, for v_0, dW."""
        sums, k = ctx.sums, ctx.k
        if sums.gradients is None:
            sums.gradients = g.new_empty(len(ctx.weight), g.numel())
            sums.count = k + 1
        sums.gradients[k] = g.flatten()
        last = sums.count
        dv = weighted_sums(ctx.weight[k:last, k], sums.gradients[k:last]).view_as(g).to(ctx.dtype)
        if k > 0:
            return dv, token, None, None, None
        dw = None
        if ctx.needs_input_grad[2]:
            dw = torch.zeros_like(ctx.weight)
            dw[:last, :last] = sums.weight_gradient().tril()
        sums.end()
        return dv, None, dw, None, None
