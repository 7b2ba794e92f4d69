"""Define synthetic pairs, which a corpus may have beyond those of another one.

Back-translation (Sennrich et al. 2016; Edunov et al. 2018): a model of the other direction
translates text of the target language, and each translation becomes the source of a training pair.
"""

from typing import TYPE_CHECKING

from pydantic.dataclasses import dataclass

from deepmt.base.errors import UserError
from deepmt.settings.strict import STRICT, Count, CountOrNone, Few, Name, Ratio
from deepmt.settings.strict_yaml import Problems

if TYPE_CHECKING:
    from deepmt.settings.corpora import Corpora, Corpus

SYNTHETIC_SEED = 1
"""Seed of the reverse run and of its draws."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Monolingual:
    """Describe text of one language: whole archives, or one side of a split, without the other."""

    language: Name
    title: str
    licence: str
    citation: str
    archives: tuple[str, ...] = ()
    corpus: str | None = None
    split: str | None = None
    lines: Count | None = None
    """Number of distinct lines to draw; all of them if not given."""

    def __post_init__(self) -> None:
        if (self.corpus is None) != (self.split is None):
            raise UserError("needs corpus and split together: the text is one side of that split")
        if bool(self.archives) == bool(self.corpus):
            raise UserError("needs either archives, or corpus and split, not both")


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Synthetic:
    """Describe the pairs that a corpus has beyond those of its `from`.

    The limits count the subwords of the reverse run (0 = no limit).
    """

    monolingual: str
    reverse: str
    """<paper>.<system>: the system that translates the monolingual text."""
    scale: str
    """The only scale that may use the corpus, since the reverse run is trained at one scale."""
    shards: Few
    max_tokens: CountOrNone = 250
    max_ratio: Ratio = 1.5

    def __post_init__(self) -> None:
        if not all(self.reverse.partition(".")):
            raise UserError(f"reverse={self.reverse} must be <paper>.<system>")


def check_monolingual(key: str, text: Monolingual, corpora: "Corpora", problems: Problems) -> None:
    """Report names that do not exist."""
    location = ("monolingual", key)
    problems.check_names((*location, "archives"), corpora.archives, "archive")
    problems.check_names((*location, "corpus"), corpora.corpora)
    if corpus := corpora.corpora.get(str(text.corpus)):
        problems.check_names((*location, "split"), corpus.split_names)
        problems.check_names((*location, "language"), corpus.languages)


def check_synthetic(key: str, corpus: "Corpus", corpora: "Corpora", problems: Problems) -> None:
    """Report unmet requirements of synthetic pairs; `corpus` has them."""
    location = ("corpora", key, "synthetic")
    assert corpus.synthetic is not None
    if corpus.base is None:
        problems.add(location, "needs `from` too: the corpus that the pairs are added to")
    elif corpora.corpora[corpus.base].synthetic is not None:
        problems.add(location, f"{corpus.base} already has synthetic pairs")
    if "train" in corpus.tokens:
        problems.add(location, "the training text is tokenised already, but translations are not")
    problems.check_names((*location, "monolingual"), corpora.monolingual, "monolingual text")
    text = corpora.monolingual.get(corpus.synthetic.monolingual)
    if text and text.language != corpus.target:
        wrong = f"is in {text.language}, but the target language is {corpus.target}"
        problems.add((*location, "monolingual"), wrong)
