"""Name the matrices of a Transformer's layers, so that a method can draw or scale each kind."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from deepmt.model.attention import CrossAttention, SelfAttention
from deepmt.model.feed_forward import FeedForward

Kind = Literal["query", "key", "value", "output", "inner", "outer", "other"]
RESIDUAL_BRANCH: frozenset[Kind] = frozenset({"value", "output", "inner", "outer"})
"""Kinds that a sublayer's output is proportional to; queries and keys only choose."""


@dataclass(frozen=True)
class Matrix:
    """Hold a matrix as a view of the stored one, which may hold several."""

    stack: Literal["encoder", "decoder"]
    kind: Kind
    cross: bool
    """In cross-attention."""
    weight: Tensor
    bias: Tensor


def matrices(model: nn.Module) -> Iterator[Matrix]:
    """Yield the matrices of all layers, from the lowest; `other` are those of average attention."""
    for stack in ("encoder", "decoder"):
        for layer in getattr(model, stack).layers:
            seen: set[int] = set()
            for module in layer.modules():
                for linear, kinds in _parts(module):
                    if id(linear) not in seen:
                        seen.add(id(linear))
                        weights, biases = (
                            x.chunk(len(kinds)) for x in (linear.weight, linear.bias)
                        )
                        for kind, weight, bias in zip(kinds, weights, biases, strict=True):
                            cross = isinstance(module, CrossAttention)
                            yield Matrix(stack, kind, cross, weight, bias)


def _parts(module: nn.Module) -> list[tuple[nn.Linear, tuple[Kind, ...]]]:
    """Return the linear layers of a module, and the kinds of matrix that each holds in its rows."""
    if isinstance(module, SelfAttention):
        fused: tuple[Kind, ...] = ("query", "key", "value")
        return [(module.query_key_value, fused), (module.out, ("output",))]
    if isinstance(module, CrossAttention):
        return [
            (module.query, ("query",)),
            (module.key_value, ("key", "value")),
            (module.out, ("output",)),
        ]
    if isinstance(module, FeedForward):
        return [(module.inner, ("inner",)), (module.outer, ("outer",))]
    return [(module, ("other",))] if isinstance(module, nn.Linear) else []


def as_torch_(matrix: Matrix, factor: float = 1.0) -> None:
    """Draw weights and biases from +-factor / sqrt(fan_in), nn.Linear's own if the factor is 1."""
    for part in (matrix.weight, matrix.bias):
        part.uniform_(-1, 1).mul_(factor / math.sqrt(matrix.weight.size(1)))


@torch.no_grad()
def scale_(model: nn.Module, factor: Callable[[Matrix], float]) -> None:
    """Multiply each matrix by a factor."""
    for matrix in matrices(model):
        matrix.weight.mul_(factor(matrix))
