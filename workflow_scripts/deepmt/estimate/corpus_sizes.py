"""Estimate the size of corpora before they are built, and of their mean batches."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic.dataclasses import dataclass

from deepmt.config.corpora import Corpora, Corpus
from deepmt.config.spec import Data, Spec
from deepmt.config.strict import STRICT, Count, Positive, Probability
from deepmt.config.strict_yaml import Document, Problems, load, merged, read
from deepmt.config.synthetic import Monolingual
from deepmt.device_batches import device_batches

SUBWORDS_PER_WORD = 1.2
"""Assumed for BPE with some 32,000 merges."""
LONGEST_OVER_LONGER = 1.045
"""Mean of each pair's longer side over the longer side's mean; counted: 1.03 to 1.05."""
BATCH_OVER_LONGEST = 1.45
"""Mean length of a batch over that of a pair, counted on IWSLT14; Multi30k has 1.12."""
PADDING = 0.05
"""Fraction of padding positions; counted: 0.02 (toy) to 0.053 (IWSLT14)."""
UNSHARED = 0.75
"""Types per side over joint merges if each side has its own vocabulary; counted: 0.59 to 0.84."""
PAIRS, WORDS = 5_000_000, (25.0, 25.0)
"""Assumed for a corpus of unknown size."""
NEWSTEST = 3000
"""Assumed sentences in a test or dev split, and in the sample of the training split."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class CorpusSize:
    """Describe an encoded corpus; lengths are means in subwords, including the end symbol."""

    pairs: Count
    types: tuple[Count, Count]
    joint_types: Count
    source: Positive
    target: Positive
    longest: Positive
    batch: Positive
    """Larger than `longest`, because batches of long sentences hold few of them."""
    padding: Probability
    basis: str

    @property
    def reversed(self) -> "CorpusSize":
        """Return the size of the corpus with source and target swapped."""
        source, target = self.types
        return replace(self, types=(target, source), source=self.target, target=self.source)


@dataclass(frozen=True, kw_only=True, config=STRICT)
class SizeInWords:
    """Describe a corpus if only its words per sentence are known."""

    pairs: Count
    words: tuple[Positive, Positive]
    types: tuple[Count, Count]


@cache
def known_sizes() -> dict[str, CorpusSize]:
    """Read corpus_sizes.yaml, which explains its keys.

    Raises:
        ValueError: a key or a value is wrong; names its line.
    """
    return dict(_read_sizes(Path(__file__).with_suffix(".yaml")))


def _read_sizes(file: Path) -> Iterator[tuple[str, CorpusSize]]:
    document = load(file)
    entries, problems = read(document, dict[str, dict[str, Any]]), Problems(document)
    whole: dict[str, Document] = {}
    for key, part in document.parts().items():
        problems.check_names((key, "from"), whole, "corpus above")
        problems.check_names((key, "reverse_of"), whole, "corpus above")
        problems.raise_if_any()
        base = entries[key].get("from")
        reverse = entries[key].get("reverse_of")
        whole[key] = whole[reverse] if reverse else merged(whole[base], part) if base else part
        size = _size(whole[key])
        yield key, size.reversed if reverse else size


def _size(entry: Document) -> CorpusSize:
    own = Document({k: one for k, one in entry.value.items() if k != "from"}, entry.places)
    if "words" not in own.value:
        return read(own, CorpusSize)
    size = read(own, SizeInWords)
    return from_words(size.pairs, size.words, size.types)


def from_words(
    pairs: int,
    words: tuple[float, float],
    types: tuple[int, int],
    basis: str = "words a sentence and types as the paper has them; the rest assumed",
) -> CorpusSize:
    """Return the size of a corpus from its mean words per sentence."""
    source, target = (SUBWORDS_PER_WORD * count + 1 for count in words)
    longest = LONGEST_OVER_LONGER * max(source, target)
    return CorpusSize(
        pairs=pairs,
        types=types,
        joint_types=max(types),
        source=source,
        target=target,
        longest=longest,
        batch=BATCH_OVER_LONGEST * longest,
        padding=PADDING,
        basis=basis,
    )


def size_of(data: Data) -> CorpusSize:
    """Return the known or assumed size of a corpus, with the types that these settings give."""
    size = known_sizes().get(data.corpus) or _assumed(data)
    types = (size.joint_types,) * 2 if data.shared_vocabulary else size.types
    source, target = (min(count, data.max_vocabulary or count) for count in types)
    return replace(size, types=(source, target))


def _assumed(data: Data) -> CorpusSize:
    side = round(UNSHARED * data.merges) if data.joint else data.merges
    size = from_words(PAIRS, WORDS, (side, side), "nothing known: all assumed")
    return replace(size, joint_types=data.merges)


def lines(corpus: Corpus, split: str) -> int | None:
    """Return the sentence pairs of a split before cleaning, or None if their number is unknown."""
    if corpus.held_out and split == corpus.held_out.split:
        whole = lines_of_parts(corpus, "train")
        return None if whole is None else whole // corpus.held_out.every
    return lines_of_parts(corpus, split)


def lines_of_parts(corpus: Corpus, split: str) -> int | None:
    """Return the sum of lines over the parts of a split, or None if one is unknown."""
    counts = [part.lines for part in corpus.splits.get(split, ())]
    return sum(counts) if counts and None not in counts else None  # type: ignore[arg-type]


def lines_to_translate(corpus: Corpus, split: str) -> int:
    """Return the number of sentences of a decoded split; `train` is a sample up to the dev size."""
    found = lines(corpus, "dev" if split == "train" else split) or NEWSTEST
    return min(NEWSTEST, found) if split == "train" else found


def lines_to_back_translate(text: Monolingual, corpora: Corpora) -> int | None:
    """Return the lines of a monolingual text, or None if corpora.yaml has no count."""
    if text.lines is not None or text.corpus is None:
        return text.lines
    return lines(corpora.corpus(text.corpus), str(text.split))


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
