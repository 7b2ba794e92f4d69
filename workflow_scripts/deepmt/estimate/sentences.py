"""How many sentences there are to translate, as far as corpora.yaml says."""

from deepmt.config.corpora import Corpora, Corpus
from deepmt.config.synthetic import Monolingual

NEWSTEST = 3000
"""Assumed of a test or dev set, and of the sample of the training set, that nothing is known of."""


def lines(corpus: Corpus, name: str) -> int | None:
    """Sentence pairs of a set, before cleaning; None if corpora.yaml does not say."""
    if corpus.sizes:
        return corpus.sizes.get(name)
    if corpus.held_out and name == corpus.held_out.split:
        whole = _sum(corpus, "train")
        return None if whole is None else whole // corpus.held_out.every
    return _sum(corpus, name)


def _sum(corpus: Corpus, name: str) -> int | None:
    counts = [part.lines for part in (corpus.splits or {}).get(name, ())]
    known = [count for count in counts if count is not None]
    return sum(known) if counts and len(known) == len(counts) else None


def to_translate(corpus: Corpus, name: str) -> int:
    """Sentences of a decoded set; `train` stands for a sample no larger than dev."""
    of = lines(corpus, "dev" if name == "train" else name)
    return min(NEWSTEST, of or NEWSTEST) if name == "train" else of or NEWSTEST


def to_back_translate(text: Monolingual, corpora: Corpora) -> int | None:
    """Lines of a monolingual text; None if corpora.yaml does not say."""
    if text.lines is not None or text.corpus is None:
        return text.lines
    return lines(corpora.corpus(text.corpus), str(text.split))
