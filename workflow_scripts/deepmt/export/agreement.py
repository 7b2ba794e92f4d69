"""Checks that an exported model is still the model: its probabilities and its translations."""

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
"""Largest difference of log P in float32, for each token of a sentence."""


class ExportedModel(Protocol):
    """An exported model, read back by its own toolkit."""

    def log_probabilities(self, source: Sentences, target: Sentences) -> list[float]:
        """Return log P(target | source) of each pair, end symbols included."""

    def translate(self, source: Sentences, decoding: Decoding) -> list[Hypothesis]:
        """Return the best hypothesis of each sentence."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """The translations of one sentence here and there, both scored by our model."""

    row: int
    here: list[int]
    there: list[int]
    score_here: float
    score_there: float
    apart: float
    """Difference of the two models' log P of our translation, for each token."""

    @property
    def gain(self) -> float:
        """Return how much better our translation is."""
        return self.score_here - self.score_there


def compare(
    model: nn.Module, spec: Spec, exported: ExportedModel, pair: EncodedPair
) -> list[Compared]:
    """Translate every sentence of a set but empty ones, by the spec's beam search, here and there.

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
    """Yield row numbers and source sentences, those of like length together."""
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
    """Translate and score some sentences.

    Other toolkits have the length penalty n^alpha alone, and one longest output for a batch: so
    does our search here.
    """
    read = ended(source)
    longest = min(decoding.max_length, read.size(1) + decoding.max_extra)
    decoding = replace(decoding, length_penalty="power", max_length=longest, max_extra=longest)
    here = [hypothesis.tokens for hypothesis in beam_search(model, read, decoding)]
    there = [hypothesis.tokens for hypothesis in exported.translate(source, decoding)]
    logs_here, logs_there = (score(model, read, target) for target in (here, there))
    logs_exported = exported.log_probabilities(source, here)
    return [
        Compared(
            row=row,
            here=here[i],
            there=there[i],
            score_here=logs_here[i] / (len(here[i]) + 1) ** decoding.alpha,
            score_there=logs_there[i] / (len(there[i]) + 1) ** decoding.alpha,
            apart=abs(logs_here[i] - logs_exported[i]) / (len(here[i]) + 1),
        )
        for i, row in enumerate(rows)
    ]


def score(model: nn.Module, source: Tensor, target: Sentences) -> list[float]:
    """Return our model's log P of each target sentence."""
    labels = ended(target)
    return log_probabilities(model.output(model(source, labels)), labels)


def report(found: list[Compared], target: Vocabulary) -> dict[str, Any]:
    """Count agreement, and list every difference.

    Searches stop and count ended hypotheses differently, so either may find the better one.
    """
    differing = [sentence for sentence in found if sentence.here != sentence.there]
    return {
        "sentences": len(found),
        "identical": len(found) - len(differing),
        "ties": sum(abs(sentence.gain) < TOLERANCE for sentence in differing),
        "better_here": sum(sentence.gain >= TOLERANCE for sentence in differing),
        "better_there": sum(sentence.gain <= -TOLERANCE for sentence in differing),
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
