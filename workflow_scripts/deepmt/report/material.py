"""The corpora behind the tables, each with what was built of it: a section of the report."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from deepmt.config.papers import Paper
from deepmt.config.settings import rows_of
from deepmt.results.cell_values import Ledger
from deepmt.results.encoded_corpora import EncodedSet
from deepmt.results.sources import Source, describe_synthetic


@dataclass(frozen=True, kw_only=True)
class Material:
    """One corpus; `sets` is empty where it was not built on this machine."""

    source: Source
    sets: tuple[EncodedSet, ...]

    @property
    def texts(self) -> list[str]:
        """Note, licence, citation, and how synthetic pairs were made."""
        made = [
            describe_synthetic(self.source.key, json.loads(found.synthetic))
            for found in self.sets
            if found.synthetic
        ]
        return [*self.source.texts(), *dict.fromkeys(made)]


def materials(
    papers: Sequence[Paper], ledger: Ledger, built: Iterable[EncodedSet]
) -> list[Material]:
    """Corpora that were built, then those that are known from records alone."""
    sets: dict[str, list[EncodedSet]] = {}
    for found in built:
        if found.corpus in ledger.sources:
            sets.setdefault(found.corpus, []).append(found)
    for key in _recorded(papers, ledger):
        sets.setdefault(key, [])
    return [Material(source=ledger.sources[key], sets=tuple(found)) for key, found in sets.items()]


def _recorded(papers: Sequence[Paper], ledger: Ledger) -> Iterator[str]:
    for row in (row for paper in papers for row in rows_of(paper)):
        if ledger.entries(row):
            yield ledger.specs[row.id].data.corpus
