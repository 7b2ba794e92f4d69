"""Build the Transformer of any of the papers from the parts that a spec names."""

from functools import partial
from typing import Literal

from torch import nn

from deepmt.model import transformer as parts
from deepmt.model.attention import self_attention
from deepmt.model.build import implementation
from deepmt.model.embedding import Embedding
from deepmt.model.feed_forward import FeedForward
from deepmt.model.layer_norm import LayerNorm
from deepmt.model.linear import Linear
from deepmt.model.norm import NormFactory, NormScheme, PlacementFactory
from deepmt.model.residual import no_residual
from deepmt.model.sublayer import Sublayer
from deepmt.model.sublayer_index import SublayerIndex
from deepmt.settings.spec import Spec, Stack


def family(spec: Spec, source_vocabulary: int, target_vocabulary: int) -> nn.Module:
    """Build the Transformer of a spec."""
    source = nn.Embedding(source_vocabulary, spec.encoder.d_model)
    target = nn.Embedding(target_vocabulary, spec.decoder.d_model)
    if spec.model.tie == "all":
        source = target
    bias = None
    if spec.model.input_bias:
        bias = nn.Parameter(target.weight.new_zeros(spec.decoder.d_model))
    output = Linear(spec.decoder.d_model, target_vocabulary, bias=spec.model.softmax_bias)
    if spec.model.tie != "none":
        output.weight = target.weight
    embedding = partial(
        Embedding,
        bias=bias,
        first_position=spec.model.first_position,
        dropout=spec.training.embedding_dropout,
    )
    return parts.Transformer(
        encoder_stack(spec),
        decoder_stack(spec),
        implementation(spec, "encoder_output")(spec, spec.decoder.layers, spec.encoder.layers + 1),
        embedding(source),
        embedding(target),
        output,
        zero_start=spec.model.start == "zero",
    )


def encoder_stack(spec: Spec) -> parts.LayerStack:
    """Build the encoder: layers of self-attention and feed-forward."""
    size = spec.encoder
    layers: list[nn.Module] = []
    for number in range(1, size.layers + 1):
        sublayers = Sublayers(spec, "encoder", number, residual=spec.method.encoder_residual)
        attention = sublayers.attention(self_attention(spec, size))
        layers.append(parts.EncoderLayer(attention, sublayers.feed_forward()))
    return layer_stack(spec, size, layers)


def decoder_stack(spec: Spec) -> parts.LayerStack:
    """Build the decoder, whose layers all attend to the encoder output."""
    layer = implementation(spec, "decoder_layer")
    numbers = range(1, spec.decoder.layers + 1)
    layers = [layer(spec, Sublayers(spec, "decoder", number)) for number in numbers]
    return layer_stack(spec, spec.decoder, layers)


class Sublayers:
    """Wrap functions of one layer, from the lowest, in norms, residual connection and dropout."""

    def __init__(
        self,
        spec: Spec,
        stack: Literal["encoder", "decoder"],
        layer: int,
        *,
        residual: bool = True,
    ) -> None:
        self.spec = spec
        self.stack, self.layer = stack, layer
        self.size: Stack = getattr(spec, stack)
        self.scheme: NormScheme = implementation(spec, "norm")(spec)
        self.residual = implementation(spec, "residual") if residual else no_residual
        self.residuals: list[nn.Module] = []

    def attention(self, f: nn.Module) -> Sublayer:
        """Return an attention sublayer."""
        return self._wrap(f, self.scheme.attention)

    def feed_forward(self) -> Sublayer:
        """Return a feed-forward sublayer."""
        dropout = self.spec.training.feed_forward_dropout
        f = FeedForward(self.size.d_model, self.size.feed_forward, dropout)
        return self._wrap(f, self.scheme.feed_forward)

    def _wrap(self, f: nn.Module, new_placement: PlacementFactory) -> Sublayer:
        in_layer = 2 if self.stack == "encoder" else self.spec.method.decoder_layer.sublayers
        index = SublayerIndex(
            stack=self.stack,
            size=self.size,
            layer=self.layer,
            sublayer=(self.layer - 1) * in_layer + len(self.residuals) + 1,
            sublayers=self.size.layers * in_layer,
            below=tuple(self.residuals),
        )
        self.scheme.inside(f)
        placement = new_placement(layer_norm(self.spec, self.size), index)
        self.residuals.append(self.residual(self.spec, index))
        return Sublayer(f, placement, self.residuals[-1], self.spec.training.dropout)


def layer_norm(spec: Spec, size: Stack) -> NormFactory:
    """Return a factory of layer norms with gain 1 and bias 0."""
    return partial(LayerNorm, size.d_model, eps=spec.model.norm_epsilon)


def layer_stack(spec: Spec, size: Stack, layers: list[nn.Module]) -> parts.LayerStack:
    """Stack layers with the aggregation of their outputs and the final norm."""
    norm = layer_norm(spec, size)
    aggregation = implementation(spec, "layer_aggregation")(spec, size, norm)
    final = norm() if implementation(spec, "norm")(spec).final else nn.Identity()
    return parts.LayerStack(layers, aggregation, final)
