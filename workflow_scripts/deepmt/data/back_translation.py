"""Split monolingual text into shards, and join a bitext with their translations.

Line i of the text is line i // n of shard i % n, so that shards have similar lengths and the text
comes back in order for any number of shards.
"""

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain, cycle, islice, repeat
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from deepmt.base.errors import UserError
from deepmt.base.files import read_json, replacing
from deepmt.data.cleaning import drop_reason
from deepmt.data.lines import pair_files, pair_lines, read_lines, split_names, write_splits
from deepmt.data.raw_corpus import RawCorpus
from deepmt.settings.corpora import Corpus

Item = TypeVar("Item")


def shard(lines: Iterable[Item], number: int, shards: int) -> Iterator[Item]:
    """Yield the lines of one shard; raise ValueError if there is none of this number."""
    if number >= shards:
        raise UserError(f"shard {number}: of {shards} shards, the last is {shards - 1}")
    return islice(lines, number, None, shards)


def joined(shards: Sequence[Iterator[Item]]) -> Iterator[Item]:
    """Yield the lines of all shards in the order of the text.

    Raises ValueError if a shard is shorter or longer than its lines of the text.
    """
    for number in cycle(range(len(shards))):
        if (item := next(shards[number], None)) is None:
            break
        yield item
    rest = [n for n, lines in enumerate(shards) if next(lines, None) is not None]
    if rest:
        raise UserError(
            f"shards {rest} are longer than shard {number} allows:"
            " they come from different texts; delete them and run again"
        )


MADE_BY = ("run", "seed", "spec_sha256", "weights_sha256", "dataset_sha256", "precision")
"""Keys that must agree in the reports of all shards of a text."""


class PairFilter:
    """Decide which translated lines become training pairs, and count the others by reason.

    The limits are fairseq's for back-translation: at most `max_tokens` subwords, and one side no
    more than `max_ratio` times the other; 0 = no limit. A translation that equals its text is also
    dropped, since it teaches copying.
    """

    def __init__(self, max_tokens: int, max_ratio: float) -> None:
        self.max_tokens = max_tokens
        self.max_ratio = max_ratio
        self.dropped: Counter[str] = Counter()

    def keep(self, source: str, target: str, lengths: Iterable[int]) -> bool:
        """Check if a pair is kept, given its text and its lengths in subwords."""
        empty = not source.strip() or not target.strip()
        reason = "empty" if empty else drop_reason(lengths, self.max_tokens, self.max_ratio)
        if reason is None and source == target:
            reason = "copied"
        if reason:
            self.dropped[reason] += 1
        return reason is None


def join_synthetic(
    corpus: Corpus, bitext: Path, text: Path, reports: Sequence[Path], marker: Path
) -> None:
    """Write a corpus's raw text beside `marker`: the bitext and the synthetic pairs.

    Only the training text grows. `reports` has one file a shard, in order, each beside its
    translations and lengths. Raises ValueError if the shards come from different runs or from
    another text.
    """
    if (settings := corpus.synthetic) is None:
        raise UserError(f"{corpus.title}: has no synthetic pairs in corpora.yaml")
    reverse = _made_by(reports)
    text = RawCorpus.checked(text)
    rule = PairFilter(settings.max_tokens, settings.max_ratio)
    synthetic = (pair for pair, lengths in _translated(text, reports) if rule.keep(*pair, lengths))
    real = RawCorpus(bitext)
    sides = [real.file("train", language) for language in corpus.languages]
    train = zip(repeat("train"), chain(pair_files(*sides), synthetic))
    pairs = write_splits(train, ["train"], corpus.languages, marker.parent)
    bitext_pairs = sum(1 for _ in read_lines(sides[0]))
    for name in split_names(bitext, corpus.source):
        if name != "train":
            for language in corpus.languages:
                with replacing(marker.with_name(f"{name}.{language}")) as copy:
                    shutil.copyfile(real.file(name, language), copy)
            pairs[name] = sum(1 for _ in read_lines(real.file(name, corpus.source)))
    about = {
        "bitext_pairs": bitext_pairs,
        "synthetic_pairs": pairs["train"] - bitext_pairs,
        "dropped": dict(rule.dropped),
        "settings": asdict(settings),
        "reverse": reverse,
    }
    raw = RawCorpus(marker.parent)
    raw.describe(pairs, corpus.languages, tokens=real.tokenised, synthetic=about)


def _made_by(reports: Sequence[Path]) -> dict[str, Any]:
    """Return the reverse run that all reports name; raise ValueError if they differ."""
    made = [{k: v for k, v in read_json(p, hashed=False).items() if k in MADE_BY} for p in reports]
    for path, found in zip(reports, made, strict=True):
        if found != made[0]:
            raise UserError(
                f"{path} comes from {found}, but {reports[0]} from {made[0]}; delete the older one"
            )
    return made[0]


def _translated(text: Path, reports: Sequence[Path]) -> Iterator[tuple[tuple[str, str], list[int]]]:
    """Yield each translation with its line of the text, and the lengths of both."""
    folders = [path.parent for path in reports]
    translations = joined([read_lines(folder / "translation.txt") for folder in folders])
    lengths = joined([iter(np.load(folder / "lengths.npy").tolist()) for folder in folders])
    names = (f"the shards in {folders[0].parent}", text)
    return zip(pair_lines([translations, read_lines(text)], names), lengths, strict=True)
