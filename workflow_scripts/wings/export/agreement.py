"""Check that an exported model has the same probabilities as ours, and count equal translations."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol

import torch
from torch import nn

from deepmt.base.errors import UserError
from deepmt.data.batches import TrainingBatches, in_order_of_length
from deepmt.data.encoded import EncodedPair
from deepmt.decode.beam import Hypothesis
from deepmt.decode.search import beam_search
from deepmt.settings.spec import Decoding, Spec
from wings.export.token_batches import Sentences, ended, log_probabilities

BATCH_TOKENS = 2048
SAMPLE = 200
"""Sentences, at even distances in the test set, that both models translate."""
TOLERANCE = 1e-4
"""Largest difference of log P in float32, per token of a sentence."""


class ExportedModel(Protocol):
    """Represent an exported model loaded by its own toolkit."""

    def log_probabilities(self, source: Sentences, target: Sentences) -> list[float]:
        """Return log P(target | source) of each pair, end symbols included."""

    def translate(self, source: Sentences, decoding: Decoding) -> list[Hypothesis]:
        """Return the best hypothesis of each sentence."""


@torch.inference_mode()
def compare(
    model: nn.Module, spec: Spec, exported: ExportedModel, pair: EncodedPair
) -> dict[str, Any]:
    """Translate a sample of the non-empty sentences of a test set with both models.

    The search is the spec's, with the length penalty n^alpha and one maximum length per batch,
    since other toolkits support nothing else. They stop and count finished hypotheses differently,
    so either search may find the better one.

    Raises:
        ValueError: if probabilities differ, so the exported model is wrong.
    """
    model.eval()
    sentences, identical, apart = 0, 0, 0.0
    for source in batches(pair, spec):
        padded = ended(source)
        longest = min(spec.decoding.max_length, padded.size(1) + spec.decoding.max_extra)
        decoding = replace(
            spec.decoding, length_penalty="power", max_length=longest, max_extra=longest
        )
        ours = [hypothesis.tokens for hypothesis in beam_search(model, padded, decoding)]
        theirs = [hypothesis.tokens for hypothesis in exported.translate(source, decoding)]
        apart = max(apart, log_probability_apart(model, exported, source, ours))
        sentences += len(source)
        identical += sum(a == b for a, b in zip(ours, theirs, strict=True))
    if not sentences:
        raise UserError("export: the test set has no sentence to compare the models on")
    return {"sentences": sentences, "identical": identical, "log_probability_apart": apart}


@torch.inference_mode()
def log_probability_apart(
    model: nn.Module, exported: ExportedModel, source: Sentences, target: Sentences
) -> float:
    """Return the largest difference of both models' log P of these translations, per token.

    Raises:
        ValueError: it is above the tolerance, so the exported model is wrong.
    """
    labels = ended(target)
    ours = log_probabilities(model.output(model.eval()(ended(source), labels)), labels)
    pairs = zip(ours, exported.log_probabilities(source, target), target, strict=True)
    apart = [abs(own - other) / (len(tokens) + 1) for own, other, tokens in pairs]
    if wrong := [difference for difference in apart if not difference < TOLERANCE]:
        raise UserError(
            f"log P of the exported model differs by {wrong[0]:.2g} per token from ours; this is a"
            " bug, please report it, and translate with this one"
        )
    return max(apart)


def batches(pair: EncodedPair, spec: Spec) -> Iterator[Sentences]:
    """Yield the source sentences of the sample in batches of similar length."""
    longest = spec.training.max_length
    every = max(1, len(pair.source) // SAMPLE)
    for rows in in_order_of_length(TrainingBatches(pair, BATCH_TOKENS, longest, seed=0)):
        sampled = (pair.source[row] for row in rows if row % every == 0)
        if nonempty := [ids for ids in sampled if len(ids)]:
            yield [ids[:longest].tolist() for ids in nonempty]
