"""Whether an exported model is still the model: its probabilities, and its translations."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import torch
from torch import nn

from deepmt.config.spec import Decoding, Spec
from deepmt.data.batches import TrainingBatches, in_order_of_length
from deepmt.data.encoded import EncodedPair
from deepmt.data.vocabulary import Vocabulary
from deepmt.decode.beam import Hypothesis
from deepmt.decode.search import beam_search
from deepmt.export.token_batches import Sentences, ended, log_probabilities

BATCH_TOKENS = 2048
TOLERANCE = 1e-4
"""How far log P may differ in float32, for each token of a sentence."""


class ExportedModel(Protocol):
    """An exported model, read back by its own toolkit."""

    def log_probabilities(self, source: Sentences, target: Sentences) -> list[float]:
        """log P(target | source) of each pair, end symbols included."""

    def translate(self, source: Sentences, decoding: Decoding) -> list[Hypothesis]:
        """The best hypothesis of each sentence."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """The translations of one sentence here and there, both scored by our model."""

    row: int
    here: list[int]
    there: list[int]
    score_here: float
    score_there: float
    apart: float
    """How far the two models' log P of our translation are apart, for each token."""


def compare(
    model: nn.Module, spec: Spec, exported: ExportedModel, pair: EncodedPair
) -> list[Compared]:
    """Every sentence of a set but empty ones, by the spec's beam search here and there.

    Raises:
        ValueError: probabilities differ, so the exported model is another one.
    """
    model.eval()
    found = [
        sentence
        for rows, source in batches(pair, spec)
        for sentence in compare_batch(model, spec.decoding, exported, rows, source)
    ]
    if not found:
        raise ValueError("export: the set has no sentence to compare the models on")
    for sentence in found:
        if not sentence.apart < TOLERANCE:
            raise ValueError(
                f"export: log P of sentence {sentence.row} differs by {sentence.apart:.2g} a token "
                "between this model and the exported one: a mistake of the export, please report it"
            )
    return found


def batches(pair: EncodedPair, spec: Spec) -> Iterator[tuple[list[int], Sentences]]:
    """Row numbers and source sentences, those of like length together."""
    longest = spec.training.max_length
    for rows in in_order_of_length(TrainingBatches(pair, BATCH_TOKENS, longest, seed=0)):
        filled = [int(row) for row in rows if len(pair.source[row])]
        if filled:
            yield filled, [pair.source[row][:longest].tolist() for row in filled]


@torch.inference_mode()
def compare_batch(
    model: nn.Module,
    decoding: Decoding,
    exported: ExportedModel,
    rows: list[int],
    source: Sentences,
) -> list[Compared]:
    """Some sentences.

    Other toolkits know the length penalty n^alpha alone, and one longest output for a batch: so
    does our search here.
    """
    read = ended(source)
    longest = min(decoding.max_length, read.size(1) + decoding.max_extra)
    decoding = replace(decoding, length_penalty="power", max_length=longest, max_extra=longest)
    here = [hypothesis.tokens for hypothesis in beam_search(model, read, decoding)]
    there = [hypothesis.tokens for hypothesis in exported.translate(source, decoding)]

    def ours(target: Sentences) -> list[float]:
        wanted = ended(target)
        return log_probabilities(model.output(model(read, wanted)), wanted)

    def penalised(log_probability: float, tokens: list[int]) -> float:
        return log_probability / (len(tokens) + 1) ** decoding.alpha

    each = zip(
        rows,
        here,
        there,
        ours(here),
        ours(there),
        exported.log_probabilities(source, here),
        strict=True,
    )
    return [
        Compared(
            row=row,
            here=a,
            there=b,
            score_here=penalised(of_a, a),
            score_there=penalised(of_b, b),
            apart=abs(of_a - exported_of_a) / (len(a) + 1),
        )
        for row, a, b, of_a, of_b, exported_of_a in each
    ]


def report(found: list[Compared], target: Vocabulary) -> dict[str, Any]:
    """Counts, and every difference.

    Searches stop and count ended hypotheses differently, so either may find the better one.
    """
    differing = [sentence for sentence in found if sentence.here != sentence.there]
    gains = [sentence.score_here - sentence.score_there for sentence in differing]
    return {
        "sentences": len(found),
        "identical": len(found) - len(differing),
        "ties": sum(abs(gain) < TOLERANCE for gain in gains),
        "better_here": sum(gain >= TOLERANCE for gain in gains),
        "better_there": sum(gain <= -TOLERANCE for gain in gains),
        "log_probability_apart": max(sentence.apart for sentence in found),
        "differing": [
            {
                "row": sentence.row,
                "here": " ".join(target.decode(sentence.here)),
                "there": " ".join(target.decode(sentence.there)),
                "score_here": sentence.score_here,
                "score_there": sentence.score_there,
            }
            for sentence in differing
        ],
    }
