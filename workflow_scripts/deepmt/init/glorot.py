"""Initialise by Glorot's rule as the papers' code bases store and draw their matrices."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from deepmt.data.vocabulary import PAD
from deepmt.init.matrices import as_torch_, matrices
from deepmt.model.attention import CrossAttention
from deepmt.settings.methods.transformer_options import Glorot
from deepmt.settings.spec import Model, Spec

Scale = Callable[[str, int], float]
"""Stack ("encoder" or "decoder") and 1-based layer -> factor on the bound of its matrices."""
Batch = tuple[Tensor, Tensor]
"""Source and target token ids."""


def unscaled(stack: str, layer: int) -> float:
    """Return 1, the scale of every layer in plain Glorot initialisation."""
    return 1.0


@torch.no_grad()
def glorot_(model: nn.Module, *, fused_cross: bool, scale: Scale = unscaled) -> None:
    """Draw layer matrices uniformly from +-gamma * scale, gamma = sqrt(6 / (fan_in + fan_out)).

    Fans are those of the matrix as stored: the fused d x 3d matrix of self-attention has fan-out
    3d; q, k, v of cross-attention have fan-out d (Zhang's code), or 3d if `fused_cross` (fairseq).
    Embeddings are normal with standard deviation D^-0.5, biases 0, gains 1. The bound is Zhang
    2019, Eq. 9; the rest follows the code of Zhang, Wang 2019 and Liu 2020.
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
    """Draw uniformly from +-factor * sqrt(6 / (fan_in + fan_out))."""
    bound = factor * math.sqrt(6 / (fan_in + fan_out))
    nn.init.uniform_(weight, -bound, bound)


def _cross_(cross: CrossAttention, fused: bool, factor: float) -> None:
    d_model, d_memory = cross.out.in_features, cross.key_value.in_features
    if d_memory != d_model:
        # With a big encoder and a base decoder, the fused K, V matrix keeps the fans of its shape.
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
        # Zhang's code draws this vector by the same rule, with fan-in and fan-out D.
        uniform_(bias, bias.numel(), bias.numel())


@torch.no_grad()
def details_(model: nn.Module, details: Model) -> None:
    """Draw biases of queries, keys and values, and set padding's embedding to 0, if asked to."""
    if details.attention_biases == "uniform":
        for matrix in matrices(model):
            if matrix.kind in ("query", "key", "value"):
                bound = matrix.weight.size(1) ** -0.5
                nn.init.uniform_(matrix.bias, -bound, bound)
    if details.padding_embedding == "zero":
        for embedding in (model.source, model.target):
            nn.init.zeros_(embedding.table.weight[PAD])


@torch.no_grad()
def options_(model: nn.Module, options: Glorot) -> None:
    """Draw feed-forward layers as torch does, and embeddings by Glorot's rule, if asked to."""
    if options.feed_forward == "torch":
        for matrix in matrices(model):
            if matrix.kind in ("inner", "outer"):
                as_torch_(matrix)
    if options.embeddings == "glorot":
        for weight in (model.source.table.weight, model.target.table.weight, model.output.weight):
            uniform_(weight, *weight.shape)


def initialisation(model: nn.Module, spec: Spec, batch: Callable[[], Batch]) -> dict[str, Any]:
    """Draw weights like the code base of a spec's paper; other methods go on from them."""
    glorot_(model, fused_cross=spec.model.cross_fan == "fused")
    if isinstance(spec.method.initialisation, Glorot):
        options_(model, spec.method.initialisation)
    details_(model, spec.model)
    return {}
