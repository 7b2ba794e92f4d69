"""Compute weighted sums of layer outputs in full precision, even under autocast."""

from typing import Any

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from deepmt.kernels import compiled


def weighted_sums(weights: Tensor, layers: Tensor) -> Tensor:
    """Return weights @ layers, which autocast would round: [..., N], [N, X] -> [..., X]."""
    with torch.autocast(layers.device.type, enabled=False):
        return weights.to(layers.dtype) @ layers


@torch.no_grad()
def weighted_sum(weights: Tensor, layers: Tensor) -> Tensor:
    """Return weights @ layers for one row of weights, in one pass: [N], [N, X] -> [X]."""
    if not compiled.take(layers):
        return weighted_sums(weights, layers)
    out = layers.new_empty(layers.size(1))
    row = weights.to(torch.float32).contiguous()
    compiled.run("weighted_sum", layers, row, out, *layers.shape)
    return out


class Pool:
    """Keep memory for rows of values from one pass to the next.

    Allocating it anew takes up to a tenth of an update's time on a CPU: the operating system
    reclaims freed blocks at once and fills them with zeros again.
    """

    def __init__(self) -> None:
        self.spare: list[Tensor] = []

    def take(self, rows: int, numel: int, like: Tensor) -> Tensor:
        """Return an uninitialised tensor [rows, numel]."""
        needed = rows * numel
        for i, found in enumerate(self.spare):
            if (found.dtype, found.device) == (like.dtype, like.device) and len(found) >= needed:
                return self.spare.pop(i)[:needed].view(-1, numel)
        self.spare.clear()
        return like.new_empty(needed).view(-1, numel)

    def give_back(self, *tensors: Tensor) -> None:
        """Return tensors to the pool when a pass no longer needs them."""
        self.spare += [tensor._base if tensor._base is not None else tensor for tensor in tensors]


POOLS = WeakTensorKeyDictionary()
"""One pool for each weight matrix, as long as the matrix exists."""


class LayerSums:
    """Compute s_i = sum_{k<=i} W_ik v_k of one pass; v_k are rows of V, gradients rows of G.

    s_i = W_i V is one product of a row and a matrix, and so is dv_k = W_.k G: at any depth, each
    row of V is read once per layer and copied only once. dW = G V^T is one more product at the end.
    """

    values: Tensor
    gradients: Tensor | None = None
    token: Tensor

    def __init__(self, weight: Tensor) -> None:
        self.weight = weight
        self.pool = POOLS.setdefault(weight, Pool())
        self.count = 0

    def append(self, v: Tensor) -> None:
        """Add v_k [B, T, D]."""
        if self.count == 0:
            self.shape = v.shape
            self.values = self.pool.take(len(self.weight), v.numel(), v)
            self.token = v.new_zeros(())
        self.token = Keep.apply(v, self.token, self.weight, self, self.count)
        self.count += 1

    def last(self) -> Tensor:
        """Return s_i of the newest row i."""
        return Combine.apply(self.token, self, self.count - 1)

    def weight_gradient(self) -> Tensor:
        """Return dW_ik = <g_i, v_k>: [count, count]."""
        assert self.gradients is not None
        return weighted_sums(self.gradients[: self.count], self.values[: self.count].t())

    def end(self) -> None:
        """Release the memory, and the graph that holds this object, after the backward pass."""
        assert self.gradients is not None
        self.pool.give_back(self.values, self.gradients)
        del self.values, self.gradients, self.token


class Keep(torch.autograd.Function):
    """Copy v_k into V; in the backward pass return dv_k = sum_{i>=k} W_ik g_i.

    Each Keep passes a token to the next Keep and to Combine, so autograd visits those first and
    all g_i are known. The Keep of v_0 is visited last and returns dW, too.
    """

    @staticmethod
    def forward(
        ctx: Any, v: Tensor, token: Tensor, weight: Tensor, sums: LayerSums, k: int
    ) -> Tensor:
        """Store v and return a new token: v [B, T, D], weight [N+1, N+1]."""
        ctx.weight, ctx.sums, ctx.k, ctx.dtype = weight.detach(), sums, k, v.dtype
        sums.values[k] = v.flatten()
        return token.clone()

    @staticmethod
    def backward(ctx: Any, *tokens: Tensor) -> tuple[Tensor | None, ...]:
        """Return dv_k, the token's gradient and, for v_0, dW."""
        sums, last = ctx.sums, ctx.sums.count
        dv = weighted_sum(ctx.weight[ctx.k : last, ctx.k], sums.gradients[ctx.k : last])
        dw = None
        if ctx.k == 0:
            if ctx.needs_input_grad[2]:
                dw = torch.zeros_like(ctx.weight)
                dw[:last, :last] = sums.weight_gradient().tril()
            sums.end()
        return dv.view(sums.shape).to(ctx.dtype), tokens[0], dw, None, None


class Combine(torch.autograd.Function):
    """Compute s_i = sum_{k<=i} W_ik v_k; in the backward pass store g_i in G."""

    @staticmethod
    def forward(ctx: Any, token: Tensor, sums: LayerSums, i: int) -> Tensor:
        """Return s_i [B, T, D]."""
        ctx.sums, ctx.i = sums, i
        weights = sums.weight.detach()[i, : i + 1]
        return weighted_sum(weights, sums.values[: i + 1]).view(sums.shape)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        """Store g_i and return the token's gradient."""
        sums, g = ctx.sums, gradients[0].flatten()
        if sums.gradients is None:
            sums.gradients = sums.pool.take(len(sums.weight), g.numel(), g).zero_()
        sums.gradients[ctx.i] = g
        return g.new_zeros(()), None, None
