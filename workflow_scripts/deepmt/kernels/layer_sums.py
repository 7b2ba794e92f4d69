"""Weighted sums of layers' outputs, in full precision whatever the layers are computed in."""

from typing import Any

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

BLOCK = 8192
"""Columns of a sum of many rows that stay in the processor's cache."""


def weighted_sums(weights: Tensor, layers: Tensor) -> Tensor:
    """weights @ layers, which autocast would round: [..., N], [N, X] -> [..., X]."""
    with torch.autocast(layers.device.type, enabled=False):
        return weights.to(layers.dtype) @ layers


@torch.no_grad()
def weighted_sum(weights: Tensor, layers: Tensor) -> Tensor:
    """The same for one row of weights, block by block: [N], [N, X] -> [X].

    One product of a row with a matrix uses two thirds of the bandwidth that its blocks use.
    """
    blocks = layers.size(1) // BLOCK
    whole = blocks * BLOCK
    out = layers.new_empty(layers.size(1))
    rows = weights.to(layers.dtype).expand(blocks, 1, -1)
    columns = layers[:, :whole].unflatten(1, (blocks, BLOCK)).transpose(0, 1)
    with torch.autocast(layers.device.type, enabled=False):
        torch.bmm(rows, columns, out=out[:whole].view(blocks, 1, BLOCK))
    out[whole:] = weighted_sums(weights, layers[:, whole:])
    return out


class Pool:
    """Memory for rows of values, kept from one pass to the next.

    Fresh memory of this size costs an update up to a tenth of its time on a CPU: the operating
    system takes blocks back at once and fills them with zeros again.
    """

    def __init__(self) -> None:
        self.spare: list[Tensor] = []

    def take(self, rows: int, numel: int, like: Tensor) -> Tensor:
        """Return [rows, numel], not initialised."""
        needed = rows * numel
        for i, found in enumerate(self.spare):
            if (found.dtype, found.device) == (like.dtype, like.device) and len(found) >= needed:
                return self.spare.pop(i)[:needed].view(-1, numel)
        self.spare.clear()
        return like.new_empty(needed).view(-1, numel)

    def give_back(self, *tensors: Tensor) -> None:
        """Take back what a pass needs no more."""
        self.spare += [tensor._base if tensor._base is not None else tensor for tensor in tensors]


POOLS = WeakTensorKeyDictionary()
"""One pool for each matrix of weights, as long as that exists."""


class LayerSums:
    """s_i = sum_{k<=i} W_ik v_k of one pass, the v_k kept as rows of V, the gradients as rows of G.

    s_i = W_i V is one product of a row with a matrix, and so is dv_k = W_.k G: each row of V is
    read once a layer and copied once in all, whatever the depth. dW = G V^T is one more at the end.
    """

    values: Tensor
    gradients: Tensor | None = None
    token: Tensor

    def __init__(self, weight: Tensor) -> None:
        self.weight = weight
        self.pool = POOLS.setdefault(weight, Pool())
        self.count = 0

    def append(self, v: Tensor) -> None:
        """Take v_k [B, T, D]."""
        if self.count == 0:
            self.shape = v.shape
            self.values = self.pool.take(len(self.weight), v.numel(), v)
            self.token = v.new_zeros(())
        self.token = Keep.apply(v, self.token, self.weight, self, self.count)
        self.count += 1

    def last(self) -> Tensor:
        """Return s_i of the newest row i."""
        return Combine.apply(self.token, self, self.count - 1)

    def of_weight(self) -> Tensor:
        """dW_ik = <g_i, v_k>: [count, count]."""
        assert self.gradients is not None
        return weighted_sums(self.gradients[: self.count], self.values[: self.count].t())

    def end(self) -> None:
        """After the backward pass, release the memory and the graph that holds this object."""
        assert self.gradients is not None
        self.pool.give_back(self.values, self.gradients)
        del self.values, self.gradients, self.token


class Keep(torch.autograd.Function):
    """Copies v_k into V; in the backward pass dv_k = sum_{i>=k} W_ik g_i, when all g_i are there.

    They are, because the token that each Keep hands to the next, and to Combine, makes autograd
    visit all of those first. The Keep of v_0 is the last of all: it answers for dW too.
    """

    @staticmethod
    def forward(
        ctx: Any, v: Tensor, token: Tensor, weight: Tensor, sums: LayerSums, k: int
    ) -> Tensor:
        """[B, T, D], a token, [N+1, N+1] -> a new token."""
        ctx.weight, ctx.sums, ctx.k, ctx.dtype = weight.detach(), sums, k, v.dtype
        sums.values[k] = v.flatten()
        return token.clone()

    @staticmethod
    def backward(ctx: Any, *tokens: Tensor) -> tuple[Tensor | None, ...]:
        """dv_k, nothing for the token, dW from the last."""
        sums, last = ctx.sums, ctx.sums.count
        of_v = weighted_sum(ctx.weight[ctx.k : last, ctx.k], sums.gradients[ctx.k : last])
        of_weight = None
        if ctx.k == 0:
            if ctx.needs_input_grad[2]:
                of_weight = torch.zeros_like(ctx.weight)
                of_weight[:last, :last] = sums.of_weight().tril()
            sums.end()
        return of_v.view(sums.shape).to(ctx.dtype), tokens[0], of_weight, None, None


class Combine(torch.autograd.Function):
    """s_i = sum_{k<=i} W_ik v_k; in the backward pass g_i is kept in G."""

    @staticmethod
    def forward(ctx: Any, token: Tensor, sums: LayerSums, i: int) -> Tensor:
        """A token -> [B, T, D]."""
        ctx.sums, ctx.i = sums, i
        weights = sums.weight.detach()[i, : i + 1]
        return weighted_sum(weights, sums.values[: i + 1]).view(sums.shape)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        """A token."""
        sums, g = ctx.sums, gradients[0].flatten()
        if sums.gradients is None:
            sums.gradients = sums.pool.take(len(sums.weight), g.numel(), g).zero_()
        sums.gradients[ctx.i] = g
        return g.new_zeros(()), None, None
