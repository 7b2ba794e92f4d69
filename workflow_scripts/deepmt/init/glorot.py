"""Glorot initialisation as the papers' code bases store and draw their matrices."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from deepmt.config.spec import Spec
from deepmt.model.attention import CrossAttention

Scale = Callable[[str, int], float]
"""(encoder or decoder, layer counted from 1) -> factor on the bound of that layer's matrices."""
Batch = tuple[Tensor, Tensor]
"""Token ids of both sides."""


def unchanged(stack: str, layer: int) -> float:
    """Return the scale of plain Glorot, the same in every layer."""
    return 1.0


@torch.no_grad()
def glorot_(model: nn.Module, *, fused_cross: bool, scale: Scale = unchanged) -> None:
    """Draw matrices of layers uniform on +-gamma * scale, gamma = sqrt(6 / (fan_in + fan_out)).

    Fans are those of the matrix as stored: self-attention's fused d x 3d draws with fan-out 3d;
    cross-attention's q, k, v with fan-out d (Zhang's code), or 3d if `fused_cross` (fairseq's).
    Embeddings are normal with deviation D^-0.5, biases 0, gains 1. (The bound: Zhang 2019, Eq. 9;
    all else by the code of Zhang, Wang 2019 and Liu 2020.)
    """
    for stack in ("encoder", "decoder"):
        for number, layer in enumerate(getattr(model, stack).layers, start=1):
            factor = scale(stack, number)
            for module in layer.modules():
                if isinstance(module, nn.Linear):
                    uniform_(module.weight, module.in_features, module.out_features, factor)
                    nn.init.zeros_(module.bias)
            for module in layer.modules():
                if isinstance(module, CrossAttention):
                    _cross_(module, fused_cross, factor)
    _embeddings_(model)


def uniform_(weight: Tensor, fan_in: int, fan_out: int, factor: float = 1.0) -> None:
    """Draw uniform on +-factor * sqrt(6 / (fan_in + fan_out))."""
    bound = factor * math.sqrt(6 / (fan_in + fan_out))
    nn.init.uniform_(weight, -bound, bound)


def _cross_(cross: CrossAttention, fused: bool, factor: float) -> None:
    d_model, d_memory = cross.out.in_features, cross.key_value.in_features
    if d_memory != d_model:
        # A big encoder under a base decoder: the fused K, V matrix keeps its own shape's fans.
        return
    fan_out = 3 * d_model if fused else d_model
    for weight in (cross.query.weight, cross.key_value.weight):
        uniform_(weight, d_model, fan_out, factor)


def _embeddings_(model: nn.Module) -> None:
    for module in model.modules():
        if isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)
    tables = {id(m.weight) for m in model.modules() if isinstance(m, nn.Embedding)}
    output = model.output
    if id(output.weight) not in tables:
        nn.init.normal_(output.weight, std=output.in_features**-0.5)
    if output.bias is not None:
        nn.init.zeros_(output.bias)
    bias = model.target.bias
    if bias is not None:
        # One vector in Zhang's code, drawn by the same rule: fan-in and fan-out are both D.
        uniform_(bias, bias.numel(), bias.numel())


def initialisation(model: nn.Module, spec: Spec, batch: Callable[[], Batch]) -> dict[str, Any]:
    """Draw weights as the code base of a spec's paper does."""
    glorot_(model, fused_cross=spec.model.cross_fan == "fused")
    return {}
