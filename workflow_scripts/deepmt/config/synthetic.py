"""Define corpora made from other corpora: with changes, reversed, or with more pairs.

Back-translation (Sennrich et al. 2016; Edunov et al. 2018): a model of the other direction
translates text of the target language, and each translation becomes the source of a training pair.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic.dataclasses import dataclass

from deepmt.config.strict import STRICT, Count, CountOrNone, Few, Name, Ratio, Seed
from deepmt.config.strict_yaml import Node, Problems, check_names


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
    seed: Seed = 1

    def __post_init__(self) -> None:
        if (self.corpus is None) != (self.split is None):
            raise ValueError("needs corpus and split together: the text is one side of that split")
        if bool(self.archives) == bool(self.corpus):
            raise ValueError("needs either archives, or corpus and split, not both")


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Synthetic:
    """Describe the pairs that a corpus has beyond those of its `from`.

    `seed` is used for the reverse run and its sampling. The limits count the subwords of the
    reverse run (0 = no limit), and the bitext is repeated `upsample` times.
    """

    monolingual: str
    reverse: str
    """<paper>.<system>: the system that translates the monolingual text."""
    scale: str
    """The only scale that may use the corpus, since the reverse run is trained at one scale."""
    shards: Few
    seed: Seed = 1
    sample: bool = True
    top_k: CountOrNone = 0
    upsample: Few = 1
    max_tokens: CountOrNone = 250
    max_ratio: Ratio = 1.5

    def __post_init__(self) -> None:
        if self.top_k and not self.sample:
            raise ValueError(f"top_k={self.top_k} restricts sampling: set sample: true")
        if not all(self.reverse.partition(".")):
            raise ValueError(f"reverse={self.reverse} must be <paper>.<system>")


def with_bases(root: Node) -> Node:
    """Return the file with each corpus completed from the corpus that it is made from.

    `from` takes over all keys that are not given again; `reverse_of` also swaps the sides.

    Raises:
        ValueError: a corpus is made from one that does not exist, or from itself.
    """
    corpora, problems = root.entries_of("corpora"), Problems()
    if not corpora:
        return root
    whole = {key: _over_base(key, corpora, problems, ()) for key in corpora}
    problems.raise_if_any()
    return replace(root, value=root.value | {"corpora": replace(root["corpora"], value=whole)})


def _over_base(
    key: str, corpora: Mapping[str, Node], problems: Problems, chain: tuple[str, ...]
) -> Node:
    node = corpora[key]
    if not isinstance(node.value, dict) or not {"from", "reverse_of"} & node.value.keys():
        return node
    if {"from", "reverse_of"} <= node.value.keys():
        problems.add(node, "needs either from or reverse_of, not both")
        return node
    own = {"base" if k == "from" else k: child for k, child in node.value.items()}
    name = own["base"] if "base" in own else own["reverse_of"]
    if not isinstance(name.value, str) or name.value not in corpora:
        problems.unknown(name, str(name.plain()), corpora, "corpus")
        return node
    if key in chain:
        problems.add(name, f"a corpus cannot be made from itself: {', '.join(chain)}")
        return node
    base = _over_base(name.value, corpora, problems, (*chain, key))
    if not isinstance(base.value, dict):
        return node
    values = {k: v for k, v in base.value.items() if k not in ("base", "reverse_of", "synthetic")}
    if "reverse_of" in own and {"source", "target"} <= values.keys():
        values |= {"source": values["target"], "target": values["source"]}
    return replace(node, value=values | own)


def check_monolingual(
    text: Monolingual, archives: Mapping[str, Any], corpora: Mapping[str, Any], node: Node,
    problems: Problems,
) -> None:  # fmt: skip
    """Report names that do not exist."""
    check_names(node, "archives", archives, problems, "archive")
    check_names(node, "corpus", corpora, problems)
    if corpus := corpora.get(str(text.corpus)):
        check_names(node, "split", corpus.split_names, problems)
        check_names(node, "language", corpus.languages, problems)


def check_synthetic(
    corpus: Any, texts: Mapping[str, Monolingual], corpora: Mapping[str, Any], node: Node,
    problems: Problems,
) -> None:  # fmt: skip
    """Report unmet requirements of synthetic pairs; `corpus` is the corpus that they extend."""
    settings = node["synthetic"]
    if corpus.base is None:
        problems.add(settings, "needs `from` too: the corpus that the pairs are added to")
    elif corpora[corpus.base].synthetic is not None:
        problems.add(settings, f"{corpus.base} already has synthetic pairs")
    if "train" in corpus.tokens:
        problems.add(settings, "the training text is tokenised already, but translations are not")
    check_names(settings, "monolingual", texts, problems, "monolingual text")
    text = texts.get(corpus.synthetic.monolingual)
    if text and text.language != corpus.target:
        wrong = f"is in {text.language}, but the target language is {corpus.target}"
        problems.add(settings["monolingual"], wrong)
