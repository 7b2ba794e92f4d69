"""Estimate the size of corpora before they are built, and of their mean batches."""

from dataclasses import replace
from statistics import mean
from typing import NamedTuple

from deepmt.base.device_batches import device_batches
from deepmt.kernels.limits import SENTENCES_AT_ONCE
from deepmt.settings.corpora import Corpora, Corpus, CorpusSize
from deepmt.settings.spec import Data, Spec
from deepmt.settings.synthetic import Synthetic
from deepmt.settings.text_steps import SAMPLE

LONGEST_OVER_LONGER = 1.045
"""Mean of each pair's longer side over the longer side's mean; counted: 1.03 to 1.05."""
PADDING = 0.05
"""Fraction of padding positions; counted: 0.02 (toy) to 0.053 (IWSLT14)."""
UNSHARED = 0.75
"""Types per side over joint merges if each side has its own vocabulary; counted: 0.59 to 0.84."""
PAIRS, LENGTH = 5_000_000, 31.0
"""Assumed for a corpus of unknown size: 25 words a sentence, 1.2 subwords a word."""
NEWSTEST = 3000
"""Assumed sentences in a test or dev split, and in the sample of the training split."""


def size_of(data: Data, corpora: Corpora) -> CorpusSize:
    """Return the known or assumed size of a corpus, with the types that these settings give."""
    size = corpora.corpus(data.corpus).size or _assumed(data)
    joint = size.joint_types or max(size.types)
    types = (joint, joint) if data.shared_vocabulary else size.types
    source, target = (min(count, data.max_vocabulary or count) for count in types)
    return replace(size, types=(source, target))


def _assumed(data: Data) -> CorpusSize:
    side = round(UNSHARED * data.merges) if data.joint else data.merges
    return CorpusSize(
        pairs=PAIRS,
        types=(side, side),
        joint_types=data.merges,
        lengths=(LENGTH, LENGTH),
        basis="nothing known: all assumed",
    )


def lines(corpus: Corpus, split: str) -> int | None:
    """Return the sentence pairs of a split before cleaning, or None if they are not counted."""
    if corpus.held_out and split == corpus.held_out.split:
        whole = lines(corpus, "train")
        return whole and whole // corpus.held_out.every
    counts = [part.lines for part in corpus.splits.get(split, ())]
    return sum(counts) if counts and None not in counts else None  # type: ignore[arg-type]


def lines_to_translate(corpus: Corpus, split: str) -> int:
    """Return the number of sentences of a split; the sample of train has at most those of dev."""
    found = lines(corpus, "dev" if split == SAMPLE else split) or NEWSTEST
    return min(NEWSTEST, found) if split == SAMPLE else found


def lines_to_back_translate(synthetic: Synthetic, corpora: Corpora) -> int:
    """Return the number of sentences that are translated for synthetic pairs."""
    text = corpora.monolingual[synthetic.monolingual]
    whole = lines(corpora.corpus(text.corpus), str(text.split)) if text.corpus else None
    return text.lines or whole or NEWSTEST


def text_seconds(size: CorpusSize, pairs: float) -> float:
    """Return the core seconds from text to ids, of which a core takes so many usual pairs."""
    return size.pairs / pairs * mean(size.lengths) / LENGTH


class BatchShape(NamedTuple):
    """Hold sentences, positions with padding, and target positions projected to the vocabulary."""

    sentences: int
    source: int
    target: int
    predictions: int


def mean_batch(spec: Spec, size: CorpusSize) -> BatchShape:
    """Return a representative device batch: sentences * length of the longer side = its tokens."""
    longest = LONGEST_OVER_LONGER * max(size.lengths)
    source, target = (round(length / (1 - PADDING)) for length in size.lengths)
    tokens = device_tokens(spec)
    sentences = max(1, round(tokens / longest))
    return BatchShape(sentences, source, target, round(tokens * size.lengths[1] / longest))


def device_tokens(spec: Spec) -> int:
    """Return the size of a device batch."""
    recipe = spec.training
    return recipe.batch_tokens // device_batches(recipe.batch_tokens, recipe.device_tokens)


def search_batch(size: CorpusSize) -> BatchShape:
    """Return a batch of open sentences with the mean length of training sentences."""
    source, target = map(round, size.lengths)
    return BatchShape(SENTENCES_AT_ONCE, source, target, SENTENCES_AT_ONCE * target)
