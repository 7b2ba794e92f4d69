"""List the corpora behind the tables and their built splits, a section of the report."""

from collections.abc import Iterable
from dataclasses import dataclass

from deepmt.results.corpus_terms import CorpusTerms
from deepmt.results.encoded_corpora import EncodedSplit
from deepmt.results.results import Results


@dataclass(frozen=True, kw_only=True)
class BuiltCorpus:
    """Represent one corpus; `splits` is empty if it was not built on this machine."""

    terms: CorpusTerms
    splits: tuple[EncodedSplit, ...]

    @property
    def texts(self) -> list[str]:
        """Return title, note, licence, citation, and the origin of synthetic pairs."""
        made = dict.fromkeys(found.synthetic for found in self.splits if found.synthetic)
        return [*self.terms.texts, *made]


def built_corpora(results: Results, built: Iterable[EncodedSplit]) -> list[BuiltCorpus]:
    """Return the built corpora, then those known from records only."""
    splits: dict[str, list[EncodedSplit]] = {}
    for found in built:
        if found.corpus in results.corpora:
            splits.setdefault(found.corpus, []).append(found)
    for spec in results.specs.values():
        if spec.run in results.by_run:
            splits.setdefault(spec.data.corpus, [])
    return [
        BuiltCorpus(terms=results.corpora[key], splits=tuple(found))
        for key, found in splits.items()
    ]
