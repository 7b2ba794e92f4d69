"""Check that an exported model has the same probabilities and translations as ours."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from deepmt.config.spec import Decoding, Spec
from deepmt.data.batches import TrainingBatches, in_order_of_length
from deepmt.data.encoded import EncodedPair
from deepmt.data.vocabulary import Vocabulary
from deepmt.decode.beam import Hypothesis
from deepmt.decode.search import beam_search
from deepmt.export.token_batches import Sentences, ended, log_probabilities

BATCH_TOKENS = 2048
TOLERANCE = 1e-4
"""Largest difference of log P in float32, per token of a sentence."""


class ExportedModel(Protocol):
    """Represent an exported model loaded by its own toolkit."""

    def log_probabilities(self, source: Sentences, target: Sentences) -> list[float]:
        """Return log P(target | source) of each pair, end symbols included."""

    def translate(self, source: Sentences, decoding: Decoding) -> list[Hypothesis]:
        """Return the best hypothesis of each sentence."""


@dataclass(frozen=True, kw_only=True)
class SentenceComparison:
    """Compare the translations of one sentence by both models, both scored by ours."""

    row: int
    ours: list[int]
    theirs: list[int]
    our_score: float
    their_score: float
    difference: float
    """Difference between both models' log P of our translation, per token."""

    @property
    def gain(self) -> float:
        """Return the score of our translation minus that of theirs."""
        return self.our_score - self.their_score


def compare(
    model: nn.Module, spec: Spec, exported: ExportedModel, pair: EncodedPair
) -> list[SentenceComparison]:
    """Translate all non-empty sentences of a test set with both models, by the spec's search.

    Raises:
        ValueError: if probabilities differ, so the exported model is wrong.
    """
    model.eval()
    found = [
        sentence
        for rows, source in batches(pair, spec)
        for sentence in compare_batch(model, spec.decoding, exported, rows, source)
    ]
    if not found:
        raise ValueError("export: the test set has no sentence to compare the models on")
    for sentence in found:
        if not sentence.difference < TOLERANCE:
            raise ValueError(
                f"export: log P of sentence {sentence.row} differs by {sentence.difference:.2g} per"
                " token between this model and the exported one; this is a bug, please report it"
            )
    return found


def batches(pair: EncodedPair, spec: Spec) -> Iterator[tuple[list[int], Sentences]]:
    """Yield row numbers and source sentences in batches of similar length."""
    longest = spec.training.max_length
    for rows in in_order_of_length(TrainingBatches(pair, BATCH_TOKENS, longest, seed=0)):
        nonempty = [int(row) for row in rows if len(pair.source[row])]
        if nonempty:
            yield nonempty, [pair.source[row][:longest].tolist() for row in nonempty]


@torch.inference_mode()
def compare_batch(
    model: nn.Module,
    decoding: Decoding,
    exported: ExportedModel,
    rows: list[int],
    source: Sentences,
) -> list[SentenceComparison]:
    """Translate and score a batch of sentences with both models.

    Our search uses the length penalty n^alpha and one maximum length per batch, since other
    toolkits support nothing else.
    """
    padded_source = ended(source)
    longest = min(decoding.max_length, padded_source.size(1) + decoding.max_extra)
    decoding = replace(decoding, length_penalty="power", max_length=longest, max_extra=longest)
    ours = [hypothesis.tokens for hypothesis in beam_search(model, padded_source, decoding)]
    theirs = [hypothesis.tokens for hypothesis in exported.translate(source, decoding)]
    our_log_p, their_log_p = (score(model, padded_source, target) for target in (ours, theirs))
    exported_log_p = exported.log_probabilities(source, ours)
    return [
        SentenceComparison(
            row=row,
            ours=ours[i],
            theirs=theirs[i],
            our_score=our_log_p[i] / (len(ours[i]) + 1) ** decoding.alpha,
            their_score=their_log_p[i] / (len(theirs[i]) + 1) ** decoding.alpha,
            difference=abs(our_log_p[i] - exported_log_p[i]) / (len(ours[i]) + 1),
        )
        for i, row in enumerate(rows)
    ]


def score(model: nn.Module, source: Tensor, target: Sentences) -> list[float]:
    """Return our model's log P of each target sentence."""
    labels = ended(target)
    return log_probabilities(model.output(model(source, labels)), labels)


def report(found: list[SentenceComparison], target: Vocabulary) -> dict[str, Any]:
    """Count identical translations, and list all others.

    The searches stop and count finished hypotheses differently, so either may find the better one.
    """
    differing = [sentence for sentence in found if sentence.ours != sentence.theirs]
    return {
        "sentences": len(found),
        "identical": len(found) - len(differing),
        "ties": sum(abs(sentence.gain) < TOLERANCE for sentence in differing),
        "better_here": sum(sentence.gain >= TOLERANCE for sentence in differing),
        "better_there": sum(sentence.gain <= -TOLERANCE for sentence in differing),
        "log_probability_apart": max(sentence.difference for sentence in found),
        "differing": [
            {
                "row": sentence.row,
                "here": " ".join(target.decode(sentence.ours)),
                "there": " ".join(target.decode(sentence.theirs)),
                "score_here": sentence.our_score,
                "score_there": sentence.their_score,
            }
            for sentence in differing
        ],
    }
