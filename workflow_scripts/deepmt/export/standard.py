"""The standard Transformer that other toolkits know, its weights by neutral names.

Equivalent forms are rewritten: ADMIN's omegas go into norms, matrices and tables, a learned query
scale into the query's matrix, an input bias into the positions.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from deepmt.config.spec import Spec
from deepmt.export.known import not_standard
from deepmt.init.fold import fold
from deepmt.model.embedding import Embedding, sinusoids
from deepmt.model.sublayer import Sublayer
from deepmt.model.transformer import LayerStack, Transformer

POSITIONS = 1024
"""Tables of positions have at least this many rows: a toolkit refuses longer sentences."""


@dataclass(frozen=True)
class Affine:
    """W x + b, or the gain and bias of a norm."""

    weight: Tensor
    bias: Tensor | None


LayerParts = dict[str, Affine]
"""self.{norm, query, key, value, out}, in the decoder cross.{...}, ffn.{norm, inner, outer}."""


@dataclass(frozen=True)
class StackWeights:
    """An encoder or decoder that reads x_p = sqrt(D) table[token_p] + positions[p]."""

    table: Tensor
    positions: Tensor
    layers: list[LayerParts]
    final: Affine | None
    """The norm that ends a pre-norm stack."""


@dataclass(frozen=True)
class StandardTransformer:
    """A post-norm or pre-norm Transformer."""

    source: StackWeights
    target: StackWeights
    output: Affine


@torch.no_grad()
def standard(model: Transformer, spec: Spec) -> StandardTransformer:
    """Return the weights of a trained model.

    Raises:
        ValueError: the method has no counterpart elsewhere, or an omega is 0.
    """
    if problems := not_standard(spec):
        raise ValueError("\n".join(problems))
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
    """Return sinusoids, with the input bias from row `unbiased` on: [rows, D]."""
    first = embedding.first_position
    table = sinusoids(first + rows, embedding.table.embedding_dim)[first:]
    if embedding.bias is not None:
        table[unbiased:] += embedding.bias
    return table


def side(stack: LayerStack, embedding: Embedding, at: Tensor) -> StackWeights:
    """Return an encoder or decoder.

    ADMIN's first omega weights the embedding. No earlier norm could absorb it, but here the tables
    are this stack's own: they do, and the maps that read them are divided by it.
    """
    table = embedding.table.weight
    omega = sublayers(stack.layers[0])[0].residual(
        torch.ones_like(table[0]), torch.zeros_like(table[0])
    )
    if not omega.abs().min() > 0:
        raise ValueError("export: an omega is 0, so the input of its sublayer cannot be divided")
    layers = [parts_of(layer) for layer in stack.layers]
    for name in ("self.query", "self.key", "self.value"):
        map_ = layers[0][name]
        layers[0][name] = replace(map_, weight=map_.weight / omega)
    final = stack.final
    return StackWeights(
        table=table * omega,
        positions=at * omega,
        layers=layers,
        final=affine(final) if isinstance(final, nn.LayerNorm) else None,
    )


def sublayers(layer: nn.Module) -> list[Sublayer]:
    """List the two sublayers of an encoder layer, or the three of a decoder layer, in order."""
    return [part for part in layer.children() if isinstance(part, Sublayer)]


def parts_of(layer: nn.Module) -> LayerParts:
    """Return the maps and norms of a layer; maps of one input, fused here, are separated."""
    own, *crosses, last = sublayers(layer)
    found = attention("self", own, *split(own.f.query_key_value, 3))
    for cross in crosses:
        found |= attention("cross", cross, affine(cross.f.query), *split(cross.f.key_value, 2))
    feed_forward = {"inner": affine(last.f.inner), "outer": affine(last.f.outer)}
    return found | named("ffn", {"norm": norm(last)} | feed_forward)


def attention(
    name: str, sublayer: Sublayer, query: Affine, key: Affine, value: Affine
) -> LayerParts:
    """Return an attention sublayer; a learned scale of its queries goes into their map."""
    f = sublayer.f
    d_model = len(query.weight)
    scale = f.scale(torch.ones(f.heads, d_model // f.heads)).flatten()
    query = Affine(query.weight * scale[:, None], query.bias * scale)
    maps = {"query": query, "key": key, "value": value, "out": affine(f.out)}
    return named(name, {"norm": norm(sublayer)} | maps)


def named(sublayer: str, parts: LayerParts) -> LayerParts:
    """Put a sublayer's name before those of its parts."""
    return {f"{sublayer}.{part}": weights for part, weights in parts.items()}


def split(fused: nn.Module, count: int) -> list[Affine]:
    """Separate the maps of a fused one."""
    each = zip(fused.weight.chunk(count), fused.bias.chunk(count), strict=True)
    return [Affine(weight, bias) for weight, bias in each]


def norm(sublayer: Sublayer) -> Affine:
    """Return the one norm of a sublayer, before or after it."""
    pre_norm = isinstance(sublayer.before, nn.LayerNorm)
    return affine(sublayer.before if pre_norm else sublayer.after)


def affine(module: nn.Module) -> Affine:
    """Return weight and bias of a linear map or a norm."""
    return Affine(module.weight.detach(), None if module.bias is None else module.bias.detach())
