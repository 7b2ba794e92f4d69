"""Compute in closed form what a model of each family holds and does, without torch.

What a method adds in matrices and kept numbers stands with its options; what it adds besides
(norms, gates, weights of layers) is small. Tests compare every option with torch's own counters.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from deepmt.base.errors import UserError
from deepmt.machines.corpus_sizes import BatchShape
from deepmt.settings.method import CHOICES
from deepmt.settings.spec import Spec


@dataclass(frozen=True, kw_only=True)
class ModelWork:
    """Hold the work of a model, with B sentences of S source and T target positions in a batch."""

    parameters: int
    """Trained parameters; a shared matrix counts once."""
    source: int
    """Numbers in the matrices that each source position is multiplied with."""
    target: int
    """The same for each target position, without the softmax."""
    output: int
    """Numbers in the matrix of the softmax."""
    kept: Callable[[int, int], float]
    """(S, T) -> numbers kept for the backward pass for one sentence, without logits."""

    def flops(self, batch: BatchShape, beam: int = 1) -> float:
        """Return the FLOPs of a forward pass: 2 B (S source + T target) + softmax.

        Beam search computes all that concerns the target `beam` times. The products of queries,
        keys and values are left out: they add a few per cent.
        """
        source = batch.sentences * batch.source * self.source
        target = batch.sentences * batch.target * self.target + batch.predictions * self.output
        return 2 * (source + beam * target)

    def values(self, batch: BatchShape) -> float:
        """Return the numbers that a forward pass keeps for the backward pass, without logits."""
        return batch.sentences * self.kept(batch.source, batch.target)


def transformer(spec: Spec, types: tuple[int, int]) -> ModelWork:
    """Return the work of a Transformer of any method."""
    encoder, decoder, method, recipe = spec.encoder, spec.decoder, spec.method, spec.training
    d_e, d_d, f_e, f_d = (
        encoder.d_model, decoder.d_model, encoder.feed_forward, decoder.feed_forward
    )  # fmt: skip
    attention = method.decoder_self_attention
    sublayers = method.decoder_layer.sublayers
    source = encoder.layers * (4 * d_e**2 + 2 * d_e * f_e) + decoder.layers * 2 * d_e * d_d
    target = decoder.layers * ((attention.matrices + 2) * d_d**2 + 2 * d_d * f_d)
    # Biases, and a norm for each sublayer.
    vectors = encoder.layers * (9 * d_e + f_e) + decoder.layers * ((6 + 3 * sublayers) * d_d + f_d)
    borrowed = decoder.layers * attention.borrowed * d_d**2
    output = types[1] * d_d
    tables = output if spec.model.tie == "all" else types[0] * d_e + output
    own_output = output if spec.model.tie == "none" else 0
    dropped, in_attention, in_feed_forward, of_tables = (
        float(rate > 0)
        for rate in (
            recipe.dropout, recipe.attention_dropout, recipe.feed_forward_dropout,
            recipe.embedding_dropout,
        )
    )  # fmt: skip
    weights = 1 + 2 * in_attention
    options = [getattr(method, choice) for choice in CHOICES]
    inside = sum(option.keeps_inside for option in options)
    of_sublayer = dropped + sum(option.keeps for option in options)

    def kept(s: int, t: int) -> float:
        # Of a sublayer: what enters its norm and itself; of attention also Q, K, V and context.
        tables = (1 + of_tables) * (s * d_e + t * d_d)
        inner = 1 + 2 * in_feed_forward + inside
        below = s * ((8 + 2 * of_sublayer + inside) * d_e + inner * f_e)
        below += weights * encoder.heads * s**2
        above = t * ((6 + (2 + of_sublayer) * sublayers + inside) * d_d + inner * f_d)
        above += s * 2 * d_d
        above += decoder.heads * t * (weights * s + attention.weighs * (weights + 0.25) * t)
        return tables + encoder.layers * below + decoder.layers * above

    return ModelWork(
        parameters=tables + own_output + source + target - borrowed + vectors,
        source=source,
        target=target,
        output=output,
        kept=kept,
    )


def rnmt_plus(spec: Spec, types: tuple[int, int]) -> ModelWork:
    """Return the work of RNMT+, whose LSTMs are as wide as its embeddings."""
    d, below, above = spec.encoder.d_model, spec.encoder.layers, spec.decoder.layers
    # Both directions of four gates, and the projections of their output to keys.
    source = (24 * below - 8 + 3) * d**2
    target = (12 * above + 1) * d**2
    output = types[1] * 2 * d
    gates = 8 * d * (2 * below + above)

    def kept(s: int, t: int) -> float:
        # Of a cell: product, normalised gates, their values, and state.
        return d * (19 * 2 * below * s + 17 * above * t + 20 * s + 2 * s * t)

    return ModelWork(
        parameters=sum(types) * d + output + source + target + gates,
        source=source,
        target=target,
        output=output,
        kept=kept,
    )


FAMILIES: Mapping[str, Callable[[Spec, tuple[int, int]], ModelWork]] = {
    "transformer": transformer,
    "rnmt+": rnmt_plus,
}


def work_of(spec: Spec, types: tuple[int, int]) -> ModelWork:
    """Return the work of a spec's model for these numbers of source and target types.

    Raises:
        ValueError: its family has no closed form.
    """
    name = spec.method.family.name
    if name not in FAMILIES:
        raise UserError(f"method.family={name} has no closed form: add one to {__file__}")
    return FAMILIES[name](spec, types)
