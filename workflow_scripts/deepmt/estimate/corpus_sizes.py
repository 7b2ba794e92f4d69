"""Estimate the size of corpora before they are built: pairs, types, lengths and their basis."""

from collections import ChainMap
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from deepmt.code_sums import SCRIPTS
from deepmt.config.corpora import Corpora, Corpus
from deepmt.config.spec import Data
from deepmt.config.synthetic import Monolingual

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

TEXTS = SCRIPTS.parent / "texts"
"""Folder of what was counted of users' own texts."""


@dataclass(frozen=True, kw_only=True)
class CorpusSize:
    """Describe an encoded corpus; lengths are means in subwords, including the end symbol."""

    pairs: int
    types: tuple[int, int]
    joint_types: int
    source: float
    target: float
    longest: float
    batch: float
    """Larger than `longest`, because batches of long sentences hold few of them."""
    padding: float
    basis: str


@cache
def known_sizes() -> dict[str, CorpusSize]:
    """Read corpus_sizes.yaml, which explains its keys, and those of texts/."""
    files = [Path(__file__).with_suffix(".yaml"), *sorted(TEXTS.glob("*/sizes.yaml"))]
    entries = dict(ChainMap(*(yaml.safe_load(file.read_text()) for file in files)))
    return {key: _size(entry, entries) for key, entry in entries.items()}


def _size(entry: dict[str, Any], entries: dict[str, dict[str, Any]]) -> CorpusSize:
    if "reverse_of" in entry:
        other = _size(entries[entry["reverse_of"]], entries)
        source, target = other.types
        return replace(other, types=(target, source), source=other.target, target=other.source)
    if "words" in entry:
        return from_words(entry["pairs"], entry["words"], tuple(entry["types"]))
    return CorpusSize(**entry | {"types": tuple(entry["types"])})


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
    if corpus.sizes:
        return corpus.sizes.get(split)
    if corpus.held_out and split == corpus.held_out.split:
        whole = lines_of_parts(corpus, "train")
        return None if whole is None else whole // corpus.held_out.every
    return lines_of_parts(corpus, split)


def lines_of_parts(corpus: Corpus, split: str) -> int | None:
    """Return the sum of lines over the parts of a split, or None if one is unknown."""
    counts = [part.lines for part in (corpus.splits or {}).get(split, ())]
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
