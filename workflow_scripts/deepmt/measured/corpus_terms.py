"""Describe the corpora behind a table: licence, citation and notes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deepmt.settings.corpora import Corpora, Corpus
from deepmt.settings.synthetic import Monolingual


@dataclass(frozen=True, kw_only=True)
class CorpusTerms:
    """Hold the description of a corpus in corpora.yaml."""

    note: str = ""
    texts: tuple[str, ...] = ()
    """Title, note, licence and citation, also of the monolingual text of synthetic pairs."""


def terms_of(corpora: Corpora) -> dict[str, CorpusTerms]:
    """Return the terms of every corpus by key."""
    found = {}
    for key, corpus in corpora.corpora.items():
        texts = [_text(key, corpus, corpus.note)]
        if corpus.synthetic:
            name = corpus.synthetic.monolingual
            texts.append(_text(name, corpora.monolingual[name]))
        found[key] = CorpusTerms(note=corpus.note, texts=tuple(texts))
    return found


def _text(key: str, text: Corpus | Monolingual, note: str = "") -> str:
    terms = (f"Licence: {text.licence}", f"Citation: {text.citation}")
    parts = (f"Corpus {key}: {text.title}", note, *terms)
    return " ".join(part.strip().rstrip(".") + "." for part in parts if part)


def describe_synthetic(corpus: str, synthetic: Mapping[str, Any]) -> str:
    """Return how many pairs of a corpus were back-translated, and by which model."""
    made, bitext = synthetic["synthetic_pairs"], synthetic["bitext_pairs"]
    run, seed = synthetic["reverse"]["run"], synthetic["reverse"]["seed"]
    return (
        f"Corpus {corpus}: {made:,} pairs were made by back-translation (seed {seed} of {run}),"
        f" beside {bitext:,} of the bitext."
    )
