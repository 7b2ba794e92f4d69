"""A whole model: what `build` makes of a spec, counted without torch."""

from dataclasses import dataclass

from deepmt.config.spec import Spec
from deepmt.estimate import parts
from deepmt.estimate.work import Shape, Work, chosen, linear, vectors

FORWARD_AND_BACKWARD = 3
"""The way back takes two products for each one of the way forward."""
CALLS_A_STEP = 12
"""Of one LSTM layer at one time step."""
CALLS_AN_ATTENTION = 9
"""Of additive attention at one time step."""


@dataclass(frozen=True)
class Model:
    """The two sides of a model for one batch; embeddings stand with their side."""

    encoder: Work
    decoder: Work
    """Without the projection to the vocabulary."""
    output: Work

    @property
    def whole(self) -> Work:
        """All of it."""
        return self.encoder + self.decoder + self.output


def model(spec: Spec, vocabulary: tuple[int, int], shape: Shape) -> Model:
    """The work of the way forward, and the parameters, which no shape changes.

    Raises:
        ValueError: the method has a name for which nothing is counted.
    """
    return chosen(spec, "family", FAMILIES)(spec, vocabulary, shape)


def parameters(spec: Spec, vocabulary: tuple[int, int]) -> int:
    """Trained parameters, each matrix once."""
    nothing = Shape(sentences=0, source=0, target=0, predictions=0)
    return model(spec, vocabulary, nothing).whole.parameters


def flops_of_update(found: Model) -> float:
    """2 for each multiplication with its addition; both ways."""
    return FORWARD_AND_BACKWARD * 2 * found.whole.products


def transformer(spec: Spec, vocabulary: tuple[int, int], shape: Shape) -> Model:
    """A Transformer of any of the papers."""
    source, target = spec.encoder, spec.decoder
    encoder = (
        encoder_layer(spec, shape) * source.layers
        + parts.inputs(shape.source_rows, spec, source)
        + parts.embedding(shape.source_rows, source.d_model)
    )
    decoder = (
        chosen(spec, "decoder_layer", DECODER_LAYERS)(spec, shape) * target.layers
        + parts.inputs(shape.target_rows, spec, target)
        + parts.embedding(shape.target_rows, target.d_model)
        + Work(target.d_model * spec.model.input_bias)
    )
    mixed = parts.mixture(shape.source_rows, target.layers, source.layers + 1, source.d_model)
    encoder += chosen(spec, "encoder_output", {"top": Work(), "transparent": mixed})
    tables = {
        "none": vocabulary[0] * source.d_model + 2 * vocabulary[1] * target.d_model,
        "target": vocabulary[0] * source.d_model + vocabulary[1] * target.d_model,
        "all": vocabulary[1] * target.d_model,
    }
    output = projection(spec, vocabulary[1], target.d_model, shape)
    return Model(encoder, decoder, tied(output, tables[spec.model.tie], spec, vocabulary[1]))


def encoder_layer(spec: Spec, shape: Shape) -> Work:
    """Self-attention, feed-forward."""
    size, rows = spec.encoder, shape.source_rows
    attention = parts.self_attention(rows, shape.source, spec, size)
    return parts.sublayer(attention, rows, spec, size) + feed_forward(rows, spec, "encoder")


def feed_forward(rows: float, spec: Spec, stack: str) -> Work:
    """The sublayer that every layer ends in."""
    size = spec.encoder if stack == "encoder" else spec.decoder
    return parts.sublayer(parts.feed_forward(rows, size), rows, spec, size)


def own_branch(spec: Spec, shape: Shape) -> Work:
    """What looks back at the target."""
    rows, size = shape.target_rows, spec.decoder
    branches = {
        "softmax": parts.self_attention(rows, shape.target, spec, size),
        "aan": parts.average_attention(rows, size.d_model),
        "saan": parts.simplified_average_attention(rows, size.d_model),
    }
    return chosen(spec, "decoder_self_attention", branches)


def stacked_layer(spec: Spec, shape: Shape) -> Work:
    """Own branch, cross-attention, feed-forward: three sublayers."""
    rows, size = shape.target_rows, spec.decoder
    return (
        parts.sublayer(own_branch(spec, shape), rows, spec, size)
        + parts.sublayer(parts.cross_attention(shape, spec), rows, spec, size)
        + feed_forward(rows, spec, "decoder")
    )


def merged_layer(spec: Spec, shape: Shape) -> Work:
    """Both attentions in one sublayer, feed-forward."""
    rows, size = shape.target_rows, spec.decoder
    merged = own_branch(spec, shape) + parts.cross_attention(shape, spec)
    return parts.sublayer(merged, rows, spec, size) + feed_forward(rows, spec, "decoder")


DECODER_LAYERS = {"stacked": stacked_layer, "merged": merged_layer}


def rnmt_plus(spec: Spec, vocabulary: tuple[int, int], shape: Shape) -> Model:
    """RNMT+: three matrices of embeddings; every layer but the attending one is a loop of steps."""
    source, target = spec.encoder, spec.decoder
    rows, width = shape.source_rows, source.d_model
    encoder = (
        parts.lstm(rows, width, width, directions=2)
        + parts.lstm(rows, 2 * width, width, directions=2) * (source.layers - 1)
        + linear(rows, 2 * width, width)
        + vectors(rows, width)
        + Work(calls=CALLS_A_STEP * shape.source) * source.layers
    )
    mixed = parts.mixture(rows, 1, source.layers, 2 * width)
    encoder += chosen(spec, "encoder_output", {"top": Work(), "transparent": mixed})
    rows, width = shape.target_rows, target.d_model
    decoder = (
        parts.lstm(rows, 2 * width, width)
        + parts.additive_attention(shape, spec)
        + parts.lstm(rows, 2 * width, width) * (target.layers - 1)
        + vectors(rows, width)
        + Work(calls=CALLS_A_STEP * shape.target) * target.layers
        + Work(calls=CALLS_AN_ATTENTION * shape.target)
    )
    output = projection(spec, vocabulary[1], 2 * width, shape)
    tables = vocabulary[0] * source.d_model + vocabulary[1] * (width + 2 * width)
    return Model(encoder, decoder, tied(output, tables, spec, vocabulary[1]))


FAMILIES = {"transformer": transformer, "rnmt+": rnmt_plus}


def projection(spec: Spec, types: int, width: int, shape: Shape) -> Work:
    """To the target vocabulary."""
    rows = shape.predictions * shape.hypotheses
    return linear(rows, width, types, bias=spec.model.softmax_bias) + Work(calls=6)


def tied(output: Work, tables: int, spec: Spec, types: int) -> Work:
    """The projection with all tables of embeddings in place of its own matrix."""
    size = tables + types * spec.model.softmax_bias
    return Work(size, output.products, output.values, output.calls)
