"""List the corpora behind the tables and their built splits, a section of the report."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from deepmt.results.corpus_terms import CorpusTerms, describe_synthetic
from deepmt.results.encoded_corpora import EncodedSet
from deepmt.results.results import Results


@dataclass(frozen=True, kw_only=True)
class BuiltCorpus:
    """Represent one corpus; `sets` is empty if it was not built on this machine."""

    terms: CorpusTerms
    sets: tuple[EncodedSet, ...]

    @property
    def texts(self) -> list[str]:
        """Return title, note, licence, citation, and the origin of synthetic pairs."""
        made = [
            describe_synthetic(self.terms.key, json.loads(found.synthetic))
            for found in self.sets
            if found.synthetic
        ]
        return [*self.terms.texts, *dict.fromkeys(made)]


def built_corpora(results: Results, built: Iterable[EncodedSet]) -> list[BuiltCorpus]:
    """Return the built corpora, then those known from records only."""
    sets: dict[str, list[EncodedSet]] = {}
    for found in built:
        if found.corpus in results.corpora:
            sets.setdefault(found.corpus, []).append(found)
    for spec in results.specs.values():
        if spec.run in results.by_run:
            sets.setdefault(spec.data.corpus, [])
    return [
        BuiltCorpus(terms=results.corpora[key], sets=tuple(found)) for key, found in sets.items()
    ]
