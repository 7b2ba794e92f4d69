"""CTranslate2: its specification is filled directly, tables of positions included."""

from pathlib import Path
from typing import Any

import ctranslate2
import torch
from ctranslate2.specs import transformer_spec as specs

from deepmt.config.spec import Decoding, Spec
from deepmt.data.vocabulary import EOS, PAD, SPECIALS, Vocabulary
from deepmt.decode.beam import Hypothesis
from deepmt.export.standard import (
    Affine,
    AttentionWeights,
    FeedForwardWeights,
    StackWeights,
    StandardTransformer,
)
from deepmt.export.token_batches import Sentences
from deepmt.files import write_json

PATIENCE = 3


def save(
    model: StandardTransformer, spec: Spec, source: Vocabulary, target: Vocabulary, path: Path
) -> None:
    """Write a folder for ctranslate2.Translator, in it decoding.json: how its search is called."""
    pre_norm = spec.method.norm == "pre"
    encoder = specs.TransformerEncoderSpec(spec.encoder.layers, spec.encoder.heads, pre_norm)
    decoder = specs.TransformerDecoderSpec(spec.decoder.layers, spec.decoder.heads, pre_norm)
    encoder.embeddings[0].weight = model.source.table
    decoder.embeddings.weight = model.target.table
    decoder.start_from_zero_embedding = spec.model.start == "zero"
    fill_side(encoder, model.source)
    fill_side(decoder, model.target)
    fill(decoder.projection, model.output)
    whole = specs.TransformerSpec(encoder, decoder)
    whole.register_source_vocabulary(list(source.tokens))
    whole.register_target_vocabulary(list(target.tokens))
    whole.config.add_source_eos = True
    whole.config.bos_token = whole.config.decoder_start_token = SPECIALS[EOS]
    whole.config.layer_norm_epsilon = spec.model.norm_epsilon
    whole.validate()
    whole.optimize()
    whole.save(str(path))
    write_json(path / "decoding.json", options(spec.decoding))


def fill_side(to: Any, side: StackWeights) -> None:
    """Positions, layers and the norm that ends a pre-norm stack."""
    to.position_encodings.encodings = side.positions
    for layer, weights in zip(to.layer, side.layers, strict=True):
        own, cross = weights.attention, weights.cross
        fill_attention(layer.self_attention, own, [fused(own.query, own.key, own.value), own.out])
        if cross is not None:
            maps = [cross.query, fused(cross.key, cross.value), cross.out]
            fill_attention(layer.attention, cross, maps)
        fill_feed_forward(layer.ffn, weights.feed_forward)
    if side.final is not None:
        fill_norm(to.layer_norm, side.final)


def fused(*maps: Affine) -> Affine:
    """Several maps of one input as one map."""
    return Affine(torch.cat([m.weight for m in maps]), torch.cat([m.bias for m in maps]))


def fill_attention(to: Any, attention: AttentionWeights, maps: list[Affine]) -> None:
    """An attention sublayer, its maps fused as CTranslate2 has them."""
    fill_norm(to.layer_norm, attention.norm)
    for linear, weights in zip(to.linear, maps, strict=True):
        fill(linear, weights)


def fill_feed_forward(to: Any, feed_forward: FeedForwardWeights) -> None:
    """A feed-forward sublayer."""
    fill_norm(to.layer_norm, feed_forward.norm)
    fill(to.linear_0, feed_forward.inner)
    fill(to.linear_1, feed_forward.outer)


def fill_norm(to: Any, norm: Affine) -> None:
    """Gain and bias."""
    to.gamma, to.beta = norm.weight, norm.bias


def fill(to: Any, linear: Affine) -> None:
    """A linear map, with its bias if it has one."""
    to.weight = linear.weight
    if linear.bias is not None:
        to.bias = linear.bias


def options(decoding: Decoding) -> dict[str, Any]:
    """The search of a spec as options of Translator.translate_batch.

    It stops after beam * patience ended hypotheses, whether or not better ones can still come. On
    Multi30k 958 of 1,000 translations are ours with a patience of 1, 999 with 3.
    """
    return {
        "beam_size": decoding.beam,
        "patience": PATIENCE,
        "length_penalty": decoding.alpha,
        "min_decoding_length": decoding.min_length,
        "max_decoding_length": decoding.max_length,
        "disable_unk": True,
        "suppress_sequences": [[SPECIALS[PAD]]],
    }


class CTranslate2Model:
    """An exported model, read back."""

    def __init__(self, path: Path, source: Vocabulary, target: Vocabulary) -> None:
        threads = torch.get_num_threads()
        self.translator = ctranslate2.Translator(
            str(path), compute_type="float32", intra_threads=threads
        )
        self.source = source
        self.target = target

    def log_probabilities(self, source: Sentences, target: Sentences) -> list[float]:
        """log P(target | source) of each pair, end symbols included."""
        results = self.translator.score_batch(
            [self.source.decode(ids) for ids in source],
            [self.target.decode(ids) for ids in target],
        )
        return [sum(result.log_probs) for result in results]

    def translate(self, source: Sentences, decoding: Decoding) -> list[Hypothesis]:
        """The best hypothesis of each sentence."""
        results = self.translator.translate_batch(
            [self.source.decode(ids) for ids in source], return_scores=True, **options(decoding)
        )
        return [
            Hypothesis(self.target.encode(result.hypotheses[0]), result.scores[0])
            for result in results
        ]


def load(path: Path, source: Vocabulary, target: Vocabulary) -> CTranslate2Model:
    """Read an exported model back."""
    return CTranslate2Model(path, source, target)
