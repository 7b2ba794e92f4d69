"""What a reader of a table must know of the corpora behind it: terms, and whom to cite."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deepmt.config.corpora import Corpora, Corpus


@dataclass(frozen=True, kw_only=True)
class Source:
    """A corpus as corpora.yaml describes it."""

    key: str
    title: str
    licence: str
    citation: str
    note: str = ""
    translated: "Source | None" = None
    """The monolingual text of its synthetic pairs."""

    def texts(self) -> list[str]:
        """All of it: title, note, licence, citation."""
        parts = [
            f"Corpus {self.key}: {self.title}",
            self.note,
            f"Licence: {self.licence}",
            f"Citation: {self.citation}",
        ]
        own = " ".join(part.strip().rstrip(".") + "." for part in parts if part)
        return [own, *(self.translated.texts() if self.translated else [])]


def sources(corpora: Corpora) -> dict[str, Source]:
    """Every corpus by key."""
    return {key: _source(key, corpus, corpora) for key, corpus in corpora.corpora.items()}


def _source(key: str, corpus: Corpus, corpora: Corpora) -> Source:
    translated = None
    if corpus.synthetic:
        text = corpora.monolingual[corpus.synthetic.monolingual]
        translated = Source(
            key=corpus.synthetic.monolingual,
            title=text.title,
            licence=text.licence,
            citation=text.citation,
        )
    return Source(
        key=key,
        title=corpus.title,
        licence=corpus.licence,
        citation=corpus.citation,
        note=corpus.note,
        translated=translated,
    )


def describe_synthetic(corpus: str, synthetic: Mapping[str, Any]) -> str:
    """How many pairs of a corpus a model made, and which."""
    made, bitext = synthetic["synthetic_pairs"], synthetic["bitext_pairs"]
    run, seed = synthetic["reverse"]["run"], synthetic["reverse"]["seed"]
    copies = synthetic["settings"]["upsample"]
    each = f" ({copies} times each)" if copies > 1 else ""
    return (
        f"Corpus {corpus}: {made:,} pairs were made by back-translation (seed {seed} of {run}),"
        f" beside {bitext:,} of the bitext{each}."
    )
