"""The one place where the parts meet: spec -> model, one dictionary a choice.

Adding a method is a new file in nn/ and an entry here (and its name in spec.py).
"""

from collections.abc import Callable
from functools import partial

from torch import nn

from deepmt.config.spec import Spec, Stack
from deepmt.model import norm as placements
from deepmt.model import rnmt_plus as recurrent
from deepmt.model import transformer as parts
from deepmt.model.additive_attention import AdditiveAttention
from deepmt.model.attention import CrossAttention, LearnedScale, SelfAttention
from deepmt.model.average_attention import AverageAttention, SimplifiedAverageAttention
from deepmt.model.dlcl import DynamicCombination, Previous
from deepmt.model.dropout import Dropout
from deepmt.model.embedding import Embedding
from deepmt.model.feed_forward import FeedForward
from deepmt.model.linear import Linear
from deepmt.model.lstm import Lstm
from deepmt.model.merged_attention import MergedAttention
from deepmt.model.norm import NewNorm, Placement
from deepmt.model.skip import NoSkip, Omega
from deepmt.model.sublayer import Sublayer
from deepmt.model.transparent import Top, Transparent

Place = Callable[[NewNorm], Placement]

# norm -> where it stands around attention, around feed-forward, and at the end of a stack
PLACEMENTS: dict[str, tuple[Place, Place, bool]] = {
    "post": (placements.post, placements.post, False),
    "pre": (placements.pre, placements.pre, True),
    "lingvo": (placements.entering, placements.pre, False),
}
SKIPS: dict[str, Callable[[int], nn.Module]] = {
    "identity": lambda d_model: nn.Identity(),
    "omega": Omega,
}
SCALES: dict[str, Callable[[int], nn.Module]] = {
    "fixed": lambda d_head: nn.Identity(),
    "learned": LearnedScale,
}
DLCL_NORMS = {"post": "after", "pre": "before"}
TRANSPARENT_DROPOUT = 0.1


def build(spec: Spec, source_vocabulary: int, target_vocabulary: int) -> nn.Module:
    """The model of a spec with weights as torch leaves them; `deepmt.init` draws them.

    Raises:
        ValueError: one matrix for both sides with vocabularies of different size.
    """
    if spec.model.tie == "all" and source_vocabulary != target_vocabulary:
        raise ValueError(
            f"model.tie=all needs one vocabulary, got {source_vocabulary} source and "
            f"{target_vocabulary} target types: encode with data.shared_vocabulary=true"
        )
    return FAMILIES[spec.method.family](spec, source_vocabulary, target_vocabulary)


def transformer(spec: Spec, source_vocabulary: int, target_vocabulary: int) -> nn.Module:
    """A Transformer of any of the papers."""
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
        memory(spec),
        embedding(source),
        embedding(target),
        output,
        zero_start=spec.model.start == "zero",
    )


def rnmt_plus(spec: Spec, source_vocabulary: int, target_vocabulary: int) -> nn.Module:
    """RNMT+ of Bapna 2018: one memory for the whole decoder, three matrices of its own."""
    width = spec.encoder.d_model
    mix: nn.Module = Top(1)
    if spec.method.memory == "transparent":
        mix = Transparent(1, spec.encoder.layers, TRANSPARENT_DROPOUT)
    return recurrent.RnmtPlus(
        recurrent.Encoder(bidirectional_layers(spec), Linear(2 * width, width)),
        recurrent.Decoder(attending_layer(spec), recurrent_layers(spec)),
        mix,
        plain_embedding(spec, source_vocabulary, width),
        plain_embedding(spec, target_vocabulary, spec.decoder.d_model),
        Linear(2 * spec.decoder.d_model, target_vocabulary, bias=spec.model.softmax_bias),
    )


FAMILIES: dict[str, Callable[[Spec, int, int], nn.Module]] = {
    "transformer": transformer,
    "rnmt+": rnmt_plus,
}


def encoder_stack(spec: Spec) -> parts.Stack:
    """Self-attention and feed-forward layers over the source."""
    size = spec.encoder
    sublayer = Sublayers(spec, size, residual=spec.method.encoder_residual)
    layers: list[nn.Module] = [
        parts.EncoderLayer(
            sublayer.attention(self_attention(spec, size)),
            sublayer.feed_forward(),
        )
        for _ in range(size.layers)
    ]
    return parts.Stack(layers, inputs(spec, size))


def decoder_stack(spec: Spec) -> parts.Stack:
    """Layers over the target, each attending a memory."""
    layer = WIRINGS[spec.method.wiring]
    layers = [layer(spec) for _ in range(spec.decoder.layers)]
    return parts.Stack(layers, inputs(spec, spec.decoder))


def stacked_layer(spec: Spec) -> nn.Module:
    """Own branch, then cross-attention."""
    sublayer = Sublayers(spec, spec.decoder)
    cross = cross_attention(spec)
    return parts.StackedDecoderLayer(
        sublayer.attention(BRANCHES[spec.method.branch](spec, cross)),
        sublayer.attention(cross),
        sublayer.feed_forward(),
    )


def merged_layer(spec: Spec) -> nn.Module:
    """Own branch and cross-attention in one sublayer."""
    sublayer = Sublayers(spec, spec.decoder)
    cross = cross_attention(spec)
    merged = MergedAttention(BRANCHES[spec.method.branch](spec, cross), cross)
    return parts.MergedDecoderLayer(sublayer.attention(merged), sublayer.feed_forward())


WIRINGS: dict[str, Callable[[Spec], nn.Module]] = {
    "stacked": stacked_layer,
    "merged": merged_layer,
}
BRANCHES: dict[str, Callable[[Spec, CrossAttention], nn.Module]] = {
    "softmax": lambda spec, cross: self_attention(spec, spec.decoder),
    "aan": lambda spec, cross: AverageAttention(spec.decoder.d_model),
    "saan": lambda spec, cross: SimplifiedAverageAttention(cross.values, spec.decoder.d_model),
}


class Sublayers:
    """Wraps functions of one stack in its norms, skip and dropout."""

    def __init__(self, spec: Spec, size: Stack, *, residual: bool = True) -> None:
        self.spec = spec
        self.size = size
        self.attention_place, self.feed_forward_place, _ = PLACEMENTS[spec.method.norm]
        self.skip = SKIPS[spec.method.skip] if residual else lambda d_model: NoSkip()

    def attention(self, f: nn.Module) -> Sublayer:
        """An attention sublayer."""
        return self._wrap(f, self.attention_place)

    def feed_forward(self) -> Sublayer:
        """A feed-forward sublayer."""
        dropout = self.spec.training.feed_forward_dropout
        f = FeedForward(self.size.d_model, self.size.feed_forward, dropout)
        return self._wrap(f, self.feed_forward_place)

    def _wrap(self, f: nn.Module, place: Place) -> Sublayer:
        placement = place(layer_norm(self.spec, self.size))
        skip = self.skip(self.size.d_model)
        return Sublayer(f, placement, skip, self.spec.training.dropout)


def layer_norm(spec: Spec, size: Stack) -> NewNorm:
    """A factory of layer norms: gain 1, bias 0."""
    return partial(nn.LayerNorm, size.d_model, eps=spec.model.norm_epsilon)


def scale(spec: Spec, size: Stack) -> nn.Module:
    """What queries are multiplied with, beyond 1/sqrt(K)."""
    return SCALES[spec.model.query_scale](size.d_model // size.heads)


def self_attention(spec: Spec, size: Stack) -> SelfAttention:
    """Softmax self-attention of one stack."""
    dropout = spec.training.attention_dropout
    return SelfAttention(size.d_model, size.heads, dropout, scale(spec, size))


def cross_attention(spec: Spec) -> CrossAttention:
    """Attention of a decoder layer to its memory."""
    size = spec.decoder
    dropout = spec.training.attention_dropout
    return CrossAttention(
        size.d_model, spec.encoder.d_model, size.heads, dropout, scale(spec, size)
    )


def inputs(spec: Spec, size: Stack) -> nn.Module:
    """What the layers of one stack read, and the norm that ends it."""
    norm = layer_norm(spec, size)
    final = norm() if PLACEMENTS[spec.method.norm][2] else nn.Identity()
    if spec.method.inputs == "previous":
        return Previous(final)
    norms = DLCL_NORMS[spec.method.norm] if spec.method.dlcl_norm else "none"
    return DynamicCombination(size.layers, spec.method.dlcl_weights, norms, norm, final)


def memory(spec: Spec) -> nn.Module:
    """What the decoder layers attend."""
    if spec.method.memory == "top":
        return Top(spec.decoder.layers)
    return Transparent(spec.decoder.layers, spec.encoder.layers + 1, TRANSPARENT_DROPOUT)


def plain_embedding(spec: Spec, vocabulary: int, width: int) -> nn.Module:
    """Neither scaled nor with positions."""
    return nn.Sequential(nn.Embedding(vocabulary, width), Dropout(spec.training.embedding_dropout))


def lstm_skip(layer: int, *, residual: bool = True) -> nn.Module:
    """Residual connections start at the third layer, counted from 1."""
    return nn.Identity() if residual and layer > 2 else NoSkip()


def bidirectional_layers(spec: Spec) -> list[recurrent.EncoderLayer]:
    """The encoder of RNMT+."""
    width, epsilon = spec.encoder.d_model, spec.model.norm_epsilon
    return [
        recurrent.EncoderLayer(
            Lstm(width if layer == 1 else 2 * width, width, epsilon, directions=2),
            lstm_skip(layer, residual=spec.method.encoder_residual),
            spec.training.dropout,
        )
        for layer in range(1, spec.encoder.layers + 1)
    ]


def attending_layer(spec: Spec) -> recurrent.AttendingLayer:
    """The first decoder layer of RNMT+: it feeds its context back."""
    width = spec.decoder.d_model
    return recurrent.AttendingLayer(
        Lstm(width, width, spec.model.norm_epsilon, d_fed=width),
        AdditiveAttention(
            width, spec.encoder.d_model, spec.decoder.heads, spec.training.attention_dropout
        ),
        spec.training.dropout,
    )


def recurrent_layers(spec: Spec) -> list[recurrent.DecoderLayer]:
    """The other decoder layers of RNMT+."""
    width = spec.decoder.d_model
    return [
        recurrent.DecoderLayer(
            Lstm(2 * width, width, spec.model.norm_epsilon),
            lstm_skip(layer),
            spec.training.dropout,
        )
        for layer in range(2, spec.decoder.layers + 1)
    ]
