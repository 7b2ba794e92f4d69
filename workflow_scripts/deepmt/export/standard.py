"""The standard Transformer that other toolkits know, its weights by neutral names.

What is only written differently here is rewritten: ADMIN's omegas go into norms, matrices and
tables, a learned query scale into the query's matrix, an input bias into the positions.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from deepmt.config.spec import Spec
from deepmt.export.known import not_standard
from deepmt.init.fold import fold
from deepmt.model.embedding import Embedding, sinusoids
from deepmt.model.sublayer import Sublayer
from deepmt.model.transformer import Stack, Transformer

POSITIONS = 1024
"""Tables of positions have at least so many rows: a toolkit knows no longer sentences."""


@dataclass(frozen=True)
class Affine:
    """W x + b, or the gain and bias of a norm."""

    weight: Tensor
    bias: Tensor | None


@dataclass(frozen=True)
class AttentionWeights:
    """An attention sublayer."""

    norm: Affine
    query: Affine
    key: Affine
    value: Affine
    out: Affine


@dataclass(frozen=True)
class FeedForwardWeights:
    """A feed-forward sublayer."""

    norm: Affine
    inner: Affine
    outer: Affine


@dataclass(frozen=True)
class LayerWeights:
    """Self-attention, attention to the memory (decoder only), feed-forward."""

    attention: AttentionWeights
    cross: AttentionWeights | None
    feed_forward: FeedForwardWeights


@dataclass(frozen=True)
class StackWeights:
    """An encoder or decoder that reads x_p = sqrt(D) table[token_p] + positions[p]."""

    table: Tensor
    positions: Tensor
    layers: list[LayerWeights]
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
    """The weights of a trained model.

    Raises:
        ValueError: the method has no counterpart elsewhere, or an omega is 0.
    """
    if problems := not_standard(spec):
        raise ValueError("\n".join(problems))
    if spec.method.skip == "omega":
        model = fold(model)
    rows = max(POSITIONS, spec.training.max_length + 1, spec.decoding.max_length)
    unbiased = 1 if model.zero_start else 0
    return StandardTransformer(
        source=side(model.encoder, model.source, positions(model.source, rows)),
        target=side(model.decoder, model.target, positions(model.target, rows, unbiased)),
        output=affine(model.output),
    )


def positions(embedding: Embedding, rows: int, unbiased: int = 0) -> Tensor:
    """Sinusoids, with the input bias from row `unbiased` on: [rows, D]."""
    first = embedding.first_position
    table = sinusoids(first + rows, embedding.table.embedding_dim)[first:]
    if embedding.bias is not None:
        table[unbiased:] += embedding.bias
    return table


def side(stack: Stack, embedding: Embedding, at: Tensor) -> StackWeights:
    """An encoder or decoder.

    ADMIN's first omega weights the embedding. No norm below could take it in, but here the tables
    are this stack's own: they do, and what reads them is divided by it.
    """
    table = embedding.table.weight
    omega = sublayers(stack.layers[0])[0].skip(torch.ones_like(table[0]))
    if not omega.abs().min() > 0:
        raise ValueError("export: an omega is 0, so what its sublayer reads cannot be divided")
    first, *others = (layer_of(layer) for layer in stack.layers)
    final = stack.inputs.final
    return StackWeights(
        table=table * omega,
        positions=at * omega,
        layers=[replace(first, attention=reading_through(omega, first.attention)), *others],
        final=affine(final) if isinstance(final, nn.LayerNorm) else None,
    )


def reading_through(omega: Tensor, attention: AttentionWeights) -> AttentionWeights:
    """Self-attention that undoes a weight on what it reads."""
    maps = {name: getattr(attention, name) for name in ("query", "key", "value")}
    undone = {name: Affine(map_.weight / omega, map_.bias) for name, map_ in maps.items()}
    return replace(attention, **undone)


def sublayers(layer: nn.Module) -> list[Sublayer]:
    """Two in the encoder, three in the decoder, in order."""
    return [part for part in layer.children() if isinstance(part, Sublayer)]


def layer_of(layer: nn.Module) -> LayerWeights:
    """A layer of the encoder or the decoder."""
    own, *cross, feed_forward = sublayers(layer)
    f = feed_forward.f
    return LayerWeights(
        self_attention(own),
        cross_attention(cross[0]) if cross else None,
        FeedForwardWeights(norm(feed_forward), affine(f.inner), affine(f.outer)),
    )


def self_attention(sublayer: Sublayer) -> AttentionWeights:
    """Its query, key and value are one matrix here."""
    f = sublayer.f
    query, key, value = parts(f.query_key_value, 3)
    return AttentionWeights(norm(sublayer), scaled(query, f), key, value, affine(f.out))


def cross_attention(sublayer: Sublayer) -> AttentionWeights:
    """Its key and value are one matrix here."""
    f = sublayer.f
    key, value = parts(f.key_value, 2)
    return AttentionWeights(norm(sublayer), scaled(affine(f.query), f), key, value, affine(f.out))


def scaled(query: Affine, f: nn.Module) -> Affine:
    """The query's map times the learned scale of its channels, 1 if there is none."""
    d_model = len(query.weight)
    scale = f.scale(torch.ones(f.heads, d_model // f.heads)).flatten()
    return Affine(query.weight * scale[:, None], query.bias * scale)


def parts(fused: nn.Module, count: int) -> list[Affine]:
    """The maps that a fused one is made of."""
    each = zip(fused.weight.chunk(count), fused.bias.chunk(count), strict=True)
    return [Affine(weight, bias) for weight, bias in each]


def norm(sublayer: Sublayer) -> Affine:
    """The one norm of a sublayer, before or after it."""
    pre_norm = isinstance(sublayer.before, nn.LayerNorm)
    return affine(sublayer.before if pre_norm else sublayer.after)


def affine(module: nn.Module) -> Affine:
    """Weight and bias of a linear map or a norm."""
    return Affine(module.weight.detach(), None if module.bias is None else module.bias.detach())
