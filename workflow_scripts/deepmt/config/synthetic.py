"""Define corpora made from other corpora: with changes, reversed, or with more pairs.

Back-translation (Sennrich et al. 2016; Edunov et al. 2018): a model of the other direction
translates text of the target language, and each translation becomes the source of a training pair.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic.dataclasses import dataclass

from deepmt.config.strict import STRICT, Count, CountOrNone, Few, Name, Ratio
from deepmt.config.strict_yaml import Document, Location, Problems

if TYPE_CHECKING:
    from deepmt.config.corpora import Corpora, Corpus

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
            raise ValueError("needs corpus and split together: the text is one side of that split")
        if bool(self.archives) == bool(self.corpus):
            raise ValueError("needs either archives, or corpus and split, not both")


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
            raise ValueError(f"reverse={self.reverse} must be <paper>.<system>")


def with_bases(document: Document) -> Document:
    """Return the file with each corpus completed from the corpus that it is made from.

    `from` takes over all keys that are not given again; `reverse_of` also swaps the sides.

    Raises:
        ValueError: a corpus is made from one that does not exist, or from itself.
    """
    if not isinstance(corpora := document.value.get("corpora"), dict):
        return document
    taken: dict[Location, Location] = {}
    problems = Problems(document)
    whole = {key: _over_base(key, corpora, taken, problems, ()) for key in corpora}
    problems.raise_if_any()
    return Document({**document.value, "corpora": whole}, document.places, taken)


def _over_base(
    key: str,
    corpora: Mapping[str, Any],
    taken: dict[Location, Location],
    problems: Problems,
    chain: tuple[str, ...],
) -> Any:
    entry, location = corpora[key], ("corpora", key)
    made = sorted({"from", "reverse_of"} & entry.keys()) if isinstance(entry, dict) else []
    if not made:
        return entry
    [how, *others] = made
    base = entry[how]
    if others:
        problems.add(location, "needs either from or reverse_of, not both")
    elif not isinstance(base, str) or base not in corpora:
        problems.unknown((*location, how), str(base), corpora, "corpus")
    elif key in chain:
        ring = ", ".join(chain)
        problems.add((*location, how), f"a corpus cannot be made from itself: {ring}")
    elif isinstance(corpora[base], dict):
        swapped = SWAPPED if how == "reverse_of" else {}
        whole = _over_base(base, corpora, taken, problems, (*chain, key))
        own = {"base" if name == "from" else name: value for name, value in entry.items()}
        names = {swapped.get(name, name): name for name in whole if name not in OWN}
        given = {name: whole[other] for name, other in names.items()}
        if swapped and isinstance(size := whole.get("size"), dict):
            given["size"] = {k: x[::-1] if isinstance(x, list) else x for k, x in size.items()}
            names["size"] = "size"
        taken |= {
            (*location, name): ("corpora", base, other)
            for name, other in names.items()
            if name not in own
        }
        return given | own
    return entry


SWAPPED = {"source": "target", "target": "source"}
OWN = ("base", "reverse_of", "size", "synthetic")
"""Keys that no corpus takes over; the size of one that is reversed is that of the other."""


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
