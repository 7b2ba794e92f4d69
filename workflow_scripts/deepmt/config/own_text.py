"""Describe a user's own text as the loader reads it: a corpus and a scale.

`make text` requests it. Everything that follows is the ordinary workflow at the scale
`text-<name>-en-de` with rows of papers/unified.yaml.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from deepmt.config.papers import Paper, find_table
from deepmt.languages import language
from deepmt.spec.strict import unknown

TABLE = "unified.table1"
"""Table whose deep rows are the methods."""
BASELINE = "unified.t1.shallow-post"
"""Row that every text trains besides the methods: it shows what depth is worth."""
DEEP = re.compile(r"unified\.t1\.deep-(encoder-)?(?P<method>.+)")
ALIASES = {"dlcl": "dlcl-pre"}
"""Wang et al. 2019 propose DLCL for pre-norm Transformers."""
METHODS = ("post", "pre", "admin", "dlcl-pre")
"""Methods of a text for which none are named."""
LONGEST_NAME = 100
"""Characters of the name of a text: files that hold it, and more, may have 255."""
ENOUGH = 1500
"""Updates in which a system that trains learns something, and below which none is judged."""
TEXT_STEPS: dict[str, Any] = {
    "normalise": False,
    "tokenise": "none",
    "aggressive": False,
    "escape": False,
    "lowercase": False,
    "max_tokens": 150,
    "max_ratio": 4.0,
    "clean_on": "subwords",
    "subword": "sentencepiece",
    "joint": False,
}
"""Settings of `data` for every text."""
EVALUATIONS = 5
"""Evaluations of dev perplexity in a run."""


@dataclass(frozen=True, kw_only=True)
class ModelSize:
    """Describe models and the recipe that scales/*.yaml have for models of this width."""

    width: int
    deep: int
    """Layers of the deep systems' stacks."""
    pairs: int
    """Training pairs from which models of this size are considered."""
    enough: int
    """Updates that a run must have time for, or else a smaller size is chosen."""
    batch_tokens: int
    lr: float
    dropout: float

    @property
    def shallow(self) -> int:
        """Return the layers of the baseline's stacks."""
        return self.deep // 2


_NARROW = ModelSize(width=128, deep=6, pairs=0, enough=0, batch_tokens=1000, lr=2e-3, dropout=0.1)
_MIDDLE = ModelSize(
    width=256, deep=6, pairs=20_000, enough=3000, batch_tokens=2400, lr=1.5e-3, dropout=0.2
)
_WIDE = ModelSize(
    width=512, deep=6, pairs=100_000, enough=8000, batch_tokens=8000, lr=1e-3, dropout=0.3
)
SIZES = (
    _NARROW,
    replace(_NARROW, deep=12, enough=1500),
    _MIDDLE,
    replace(_MIDDLE, deep=12),
    _WIDE,
    replace(_WIDE, deep=12),
)
"""Sizes from the cheapest to the dearest; the dearest that fits is chosen."""


@dataclass(frozen=True, kw_only=True)
class TextRequest:
    """Hold what the user asks for; the text and the hours decide all other settings."""

    text: Path
    source: str
    target: str
    name: str

    @property
    def languages(self) -> tuple[str, str]:
        """Return the source and target languages."""
        return self.source, self.target

    @property
    def scale(self) -> str:
        """Return the name of the scale."""
        return f"text-{self.name}-{self.source}-{self.target}"

    @property
    def corpus(self) -> str:
        """Return the key of the corpus."""
        return f"{self.scale}.{self.source}-{self.target}"

    @property
    def title(self) -> str:
        """Return the title of the text."""
        return f"{self.name}, {self.source} to {self.target}"


def request(text: str, direction: str, name: str) -> TextRequest:
    """Check what is requested.

    Raises:
        ValueError: names the setting and what it must be.
    """
    if not text:
        raise ValueError("text: none is given: make text DIR=folder/of/text DIRECTION=en-de")
    path = Path(text).expanduser()
    found = re.fullmatch(r"([a-z]{2,3})-([a-z]{2,3})", direction)
    try:
        codes = {language(code).code for code in found.groups()} if found else set()
    except ValueError as error:
        raise ValueError(f"direction={direction}: {error}") from None
    if not found or len(codes) < 2:
        raise ValueError(
            f"direction={direction}: must be two languages of two or three letters each, such as"
            " direction=en-de"
        )
    own = path.resolve().name
    name = name or (own if path.is_dir() else own.partition(".")[0])
    if wrong := re.search(r"[^A-Za-z0-9_+-]", name) or re.match(r"[^A-Za-z0-9]|$", name):
        character = f"{wrong[0]!r} (U+{ord(wrong[0]):04X})" if wrong[0] else "an empty name"
        raise ValueError(
            f"name={name}: {character} cannot be there, since it names files; give NAME=... of"
            " letters from A to z, digits, _, + and -, with a letter or digit first"
        )
    if len(name) > LONGEST_NAME:
        raise ValueError(f"name={name}: has over {LONGEST_NAME} characters; give NAME=...")
    return TextRequest(text=path, source=found[1], target=found[2], name=name)


def deep_rows(unified: Paper) -> dict[str, str]:
    """Map the methods that may be requested to their deep rows in papers/unified.yaml."""
    found = (DEEP.fullmatch(row.id) for row in find_table(unified, TABLE).rows)
    return {match["method"]: match[0] for match in found if match}


def requested_rows(methods: str, known: Mapping[str, str]) -> list[str]:
    """Return the rows of methods with commas between.

    Raises:
        ValueError: a method is unknown; suggests one.
    """
    words = [word.strip() for word in methods.split(",")]
    for method in words:
        if ALIASES.get(method, method) not in known:
            raise ValueError(f"methods: {unknown('method', method, [*known, *ALIASES])}")
    return [known[ALIASES.get(method, method)] for method in words]


def corpus_of(
    asked: TextRequest, lines: Mapping[str, int], archive: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what corpora.yaml would say; `archive` has size and sum of the clean text."""
    key = f"{asked.scale}.tar.gz"
    corpus = {
        "source": asked.source,
        "target": asked.target,
        "title": asked.title,
        "licence": "that of the text",
        "citation": "none",
        "note": f"{lines['train']:,} training pairs of {asked.name}.",
        "splits": {
            split: [{"archive": key, "member": split + ".{language}", "lines": count}]
            for split, count in lines.items()
        },
    }
    return {
        "archives": {key: {"name": key, **archive, "path": f"corpora/{key}"}},
        "corpora": {asked.corpus: corpus},
    }


def scale_of(
    asked: TextRequest, pieces: int, size: ModelSize, *, updates: int, threads: int, gpus: int
) -> dict[str, Any]:
    """Return the scale of a text, with the size and updates that the hours decide."""
    width = size.width
    heads = max(4, width // 64)
    return {
        "name": asked.scale,
        "title": asked.title,
        "note": "A text of one's own: the numbers are never comparable with a paper's.",
        "own_text": True,
        "corpora": {"common": asked.corpus},
        "widths": {
            "base": {"d_model": width, "feed_forward": 4 * width, "heads": heads},
            "rnmt512": {"d_model": width, "feed_forward": width, "heads": heads},
        },
        "depths": {"shallow": size.shallow, "deep": size.deep},
        "change": {
            **{f"data.{key}": value for key, value in TEXT_STEPS.items()},
            "data.merges": pieces,
            "training.lr": size.lr,
            "training.warmup": max(1, min(4000, updates // 4)),
            "training.updates": updates,
            "training.batch_tokens": size.batch_tokens,
            "training.dropout": size.dropout,
            "training.embedding_dropout": size.dropout,
            "training.attention_dropout": 0.0,
            "training.feed_forward_dropout": 0.0,
            "training.checkpoint_every": max(1, updates // 20),
            "training.divergence_patience": float(ENOUGH),
            "training.average": "weights",
            "training.average_last": 5,
            "decoding.alpha": 1.0,
        },
        "threads": threads,
        "gpus": gpus,
        "dev_every": max(1, updates // EVALUATIONS),
        "gradients_every": max(1, updates // 50),
        "layer_weights_every": max(1, updates // 50),
        "decode": ["test"],
    }
