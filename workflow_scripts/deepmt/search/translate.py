"""Translate a set: batches by length, the original order restored."""

import time
from dataclasses import dataclass

from torch import nn

from deepmt.data.batches import TrainingBatches, in_order_of_length
from deepmt.data.encoded import EncodedPair
from deepmt.data.vocabulary import Vocabulary
from deepmt.search.beam import beam_search
from deepmt.spec import Spec
from deepmt.train.sight import say

BATCH_TOKENS = 2048


@dataclass(frozen=True)
class Translation:
    """Segmented lines in the order of the set, and what they cost."""

    lines: list[str]
    scores: list[float]
    seconds: float


def translate(
    model: nn.Module, spec: Spec, pair: EncodedPair, vocabulary: Vocabulary, device: str
) -> Translation:
    """Best hypotheses of all source sentences.

    An empty source line has an empty translation.
    """
    batches = TrainingBatches(pair, BATCH_TOKENS, spec.training.max_length, seed=0)
    rows = list(in_order_of_length(batches))
    lines, scores = [""] * len(pair), [0.0] * len(pair)
    began = shown = time.monotonic()
    done = 0
    for indices in rows:
        source = batches.batch(indices).source.to(device)
        for index, found in zip(indices, beam_search(model, source, spec.decoding), strict=True):
            if len(pair.source[index]):
                lines[index] = " ".join(vocabulary.decode(found.tokens))
                scores[index] = found.score
        done += len(indices)
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            say(f"{spec.run}  translated {done}/{len(pair)}")
    seconds = time.monotonic() - began
    return Translation(lines, scores, seconds)
