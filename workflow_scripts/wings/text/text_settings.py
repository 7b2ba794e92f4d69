"""Write a user's own text as the loader reads it: a corpus and a scale.

Everything that follows is the ordinary workflow at the scale `text-<name>-en-de` with rows of
papers/unified.yaml.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from deepmt.base.errors import UserError
from deepmt.base.files import write_text
from wings.text.request import TextRequest

ENOUGH = 1500
"""Updates in which a system that trains learns something, and below which none is judged."""
ENOUGH_PAIRS = 100_000
"""Training pairs below which a pretrained model, fine-tuned, is said to be better."""
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
CHECKPOINTS = 20
"""Checkpoints of a run, of which the last ones are averaged."""
EVALUATIONS = 5
"""Evaluations of dev perplexity in a run, besides those at its end."""
EXPORTS = (Path(__file__).parents[1] / "export/__init__.py").exists()
"""The wing is there that writes models that leave this project."""


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
    replace(_NARROW, deep=12, enough=1500, dropout=0.2),
    _MIDDLE,
    replace(_MIDDLE, deep=12),
    _WIDE,
    replace(_WIDE, deep=12),
)
"""Sizes from the cheapest to the dearest; the dearest that fits is chosen."""


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
        "opening": "wings.text.text_answer",
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
            "training.checkpoint_every": max(1, updates // CHECKPOINTS),
            "training.divergence_patience": float(ENOUGH),
            "training.average": "better",
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


def with_updates(scale: Path, updates: int) -> str:
    """Return the text of a scale with another number of updates; comments stay.

    Raises:
        ValueError: the number is not on a line of its own, as it was written.
    """
    text = scale.read_text(encoding="utf-8")
    new = re.sub(r"(?m)^(\s+training\.updates:\s*)\d+", rf"\g<1>{updates}", text)
    expected = yaml.safe_load(text)
    expected["change"]["training.updates"] = updates
    if yaml.safe_load(new) != expected:
        raise UserError(f"{scale}: training.updates cannot be found: set it to {updates} there")
    return new


def write_yaml(path: Path, value: Any) -> None:
    """Write settings in their order."""
    head = "# Written by `make text`; see docs/your-text.md.\n"
    write_text(path, head + yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100))
