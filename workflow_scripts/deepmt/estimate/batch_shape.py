"""Describe a mean batch of a corpus: how many sentences it has, and how long they are."""

from typing import NamedTuple

from deepmt.config.spec import Spec
from deepmt.device_batches import device_batches
from deepmt.estimate.corpus_sizes import CorpusSize

SENTENCES_AT_ONCE = 64
"""Open sentences in a search (translate.py)."""


class BatchShape(NamedTuple):
    """Hold sentences, positions with padding, and target positions projected to the vocabulary."""

    sentences: int
    source: int
    target: int
    predictions: int


def mean_batch(spec: Spec, size: CorpusSize) -> BatchShape:
    """Return a representative device batch: sentences * mean batch length = its tokens."""
    tokens = device_tokens(spec)
    stretch = size.batch / size.longest / (1 - size.padding)
    return BatchShape(
        sentences=max(1, round(tokens / size.batch)),
        source=round(size.source * stretch),
        target=round(size.target * stretch),
        predictions=round(tokens * size.target / size.longest),
    )


def device_tokens(spec: Spec) -> int:
    """Return the size of a device batch."""
    recipe = spec.training
    return recipe.batch_tokens // device_batches(recipe.batch_tokens, recipe.device_tokens)


def search_batch(size: CorpusSize) -> BatchShape:
    """Return a batch of open sentences with the mean length of training sentences."""
    target = round(size.target)
    return BatchShape(SENTENCES_AT_ONCE, round(size.source), target, SENTENCES_AT_ONCE * target)
