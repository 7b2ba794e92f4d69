"""Convert models to the standard Transformer of other toolkits, with neutral weight names.

Equivalent forms are rewritten: ADMIN's omegas are folded into norms, matrices and tables, a learned
query scale into the query's matrix, and an input bias into the positions.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from deepmt.base.errors import UserError
from deepmt.init.fold import fold
from deepmt.model.embedding import Embedding, sinusoids
from deepmt.model.sublayer import Sublayer
from deepmt.model.transformer import LayerStack, Transformer
from deepmt.settings.spec import Spec

POSITIONS = 1024
"""Minimum rows of a position table: toolkits reject longer sentences."""


@dataclass(frozen=True)
class Affine:
    """Hold W and b of W x + b, or the gain and bias of a norm."""

    weight: Tensor
    bias: Tensor | None


LayerParts = dict[str, Affine]
"""Keys: self.{norm, query, key, value, out}, cross.{...} in decoders, ffn.{norm, inner, outer}."""


@dataclass(frozen=True)
class StackWeights:
    """Hold an encoder or decoder that reads x_p = sqrt(D) table[token_p] + positions[p]."""

    table: Tensor
    positions: Tensor
    layers: list[LayerParts]
    final: Affine | None
    """The final norm of a pre-norm stack."""


@dataclass(frozen=True)
class StandardTransformer:
    """Hold the weights of a post-norm or pre-norm Transformer."""

    source: StackWeights
    target: StackWeights
    output: Affine


@torch.no_grad()
def standard(model: Transformer, spec: Spec) -> StandardTransformer:
    """Return the weights of a trained model, whose method other toolkits support, by their names.

    Raises:
        ValueError: an omega is 0.
    """
    if spec.method.residual.name == "omega":
        model = fold(model)
    rows = max(POSITIONS, spec.training.max_length + 1, spec.decoding.max_length)
    unbiased = 1 if model.zero_start else 0
    return StandardTransformer(
        source=side(model.encoder, model.source, positions(model.source, rows)),
        target=side(model.decoder, model.target, positions(model.target, rows, unbiased)),
        output=affine(model.output),
    )


def positions(embedding: Embedding, rows: int, unbiased: int = 0) -> Tensor:
    """Return sinusoids [rows, D], with the input bias added from row `unbiased` on."""
    first = embedding.first_position
    table = sinusoids(first + rows, embedding.table.embedding_dim)[first:]
    if embedding.bias is not None:
        table[unbiased:] += embedding.bias
    return table


def side(stack: LayerStack, embedding: Embedding, positions: Tensor) -> StackWeights:
    """Return the weights of an encoder or decoder.

    ADMIN's first omega scales the embedding, and no earlier norm can absorb it. The stack's own
    tables are multiplied by it instead, and the maps that read them are divided by it.
    """
    table = embedding.table.weight
    omega = sublayers(stack.layers[0])[0].residual(
        torch.ones_like(table[0]), torch.zeros_like(table[0])
    )
    if not omega.abs().min() > 0:
        raise UserError("export: an omega is 0, so no map can be divided by it")
    layers = [parts_of(layer) for layer in stack.layers]
    for name in ("self.query", "self.key", "self.value"):
        map_ = layers[0][name]
        layers[0][name] = replace(map_, weight=map_.weight / omega)
    final = stack.final
    return StackWeights(
        table=table * omega,
        positions=positions * omega,
        layers=layers,
        final=affine(final) if isinstance(final, nn.LayerNorm) else None,
    )


def sublayers(layer: nn.Module) -> list[Sublayer]:
    """Return the two sublayers of an encoder layer, or the three of a decoder layer, in order."""
    return [part for part in layer.children() if isinstance(part, Sublayer)]


def parts_of(layer: nn.Module) -> LayerParts:
    """Return the maps and norms of a layer, with fused maps separated."""
    own, *crosses, last = sublayers(layer)
    found = attention("self", own, *split(own.f.query_key_value, 3))
    for cross in crosses:
        found |= attention("cross", cross, affine(cross.f.query), *split(cross.f.key_value, 2))
    feed_forward = {"inner": affine(last.f.inner), "outer": affine(last.f.outer)}
    return found | named("ffn", {"norm": norm(last)} | feed_forward)


def attention(
    name: str, sublayer: Sublayer, query: Affine, key: Affine, value: Affine
) -> LayerParts:
    """Return an attention sublayer, with a learned query scale folded into the query's map."""
    f = sublayer.f
    d_model = len(query.weight)
    scale = f.scale(torch.ones(f.heads, d_model // f.heads)).flatten()
    query = Affine(query.weight * scale[:, None], query.bias * scale)
    maps = {"query": query, "key": key, "value": value, "out": affine(f.out)}
    return named(name, {"norm": norm(sublayer)} | maps)


def named(sublayer: str, parts: LayerParts) -> LayerParts:
    """Add a sublayer's name as a prefix to those of its parts."""
    return {f"{sublayer}.{part}": weights for part, weights in parts.items()}


def split(fused: nn.Module, count: int) -> list[Affine]:
    """Split a fused map into `count` maps."""
    each = zip(fused.weight.chunk(count), fused.bias.chunk(count), strict=True)
    return [Affine(weight, bias) for weight, bias in each]


def norm(sublayer: Sublayer) -> Affine:
    """Return the norm before or after a sublayer."""
    pre_norm = isinstance(sublayer.before, nn.LayerNorm)
    return affine(sublayer.before if pre_norm else sublayer.after)


def affine(module: nn.Module) -> Affine:
    """Return weight and bias of a linear map or norm."""
    return Affine(module.weight.detach(), None if module.bias is None else module.bias.detach())
