"""Describe a user's own text as the loader reads it: a corpus, a scale and a table of methods.

`make text` requests it. Everything that follows is the ordinary workflow at the scale
`text-<name>-en-de`.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepmt.config import strict_yaml
from deepmt.config.strict import NAME, did_you_mean
from deepmt.languages import language

PREFIX = "text-"
"""First part of the name of every scale and paper that is made from a user's text."""
TABLE_OF_METHODS = "unified.table1"
"""Table of papers/unified.yaml whose deep rows are the methods."""
BASELINE = "shallow-post"
"""System that every text trains besides the methods: it shows what depth is worth."""
DEEP = re.compile(r"unified\.t1\.deep-(encoder-)?(?P<method>.+)")
ALIASES = {"dlcl": "dlcl-pre"}
"""Wang et al. 2019 propose DLCL for pre-norm Transformers."""


@dataclass(frozen=True, kw_only=True)
class TextRequest:
    """Hold what the user asks for; the text, methods and hours decide all other settings."""

    text: Path
    source: str
    target: str
    methods: tuple[str, ...]
    hours: float
    scale: str
    """Name of the scale and of the paper."""

    @property
    def languages(self) -> tuple[str, str]:
        """Return the source and target languages."""
        return self.source, self.target

    @property
    def corpus(self) -> str:
        """Return the key of the corpus."""
        return f"{self.scale}.{self.source}-{self.target}"

    @property
    def summary(self) -> dict[str, Any]:
        """Return what decides, besides the text itself, as it is written to decided.yaml."""
        return {"methods": list(self.methods), "hours": self.hours}


def request(
    text: str, direction: str, methods: Sequence[str], hours: float, name: str, unified: Path
) -> TextRequest:
    """Check what is requested; `unified` is papers/unified.yaml, which defines the methods.

    Raises:
        ValueError: names the setting and what it must be.
    """
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
    name = name or Path(text).resolve().name.partition(".")[0]
    if not re.fullmatch(NAME, name) or "." in name:
        raise ValueError(f"name={name}: names files; give a name of letters, digits, _, + and -")
    return TextRequest(
        text=Path(text),
        source=found[1],
        target=found[2],
        methods=tuple(dict.fromkeys(_known(methods, systems_of_methods(unified)))),
        hours=float(hours),
        scale=f"{PREFIX}{name}-{direction}",
    )


def _known(methods: Sequence[str], known: Collection[str]) -> list[str]:
    if not methods:
        raise ValueError(f"methods: needs at least one of {', '.join(known)}")
    for method in methods:
        if ALIASES.get(method, method) not in known:
            raise ValueError(
                f"methods: unknown method '{method}'{did_you_mean(method, [*known, *ALIASES])}"
            )
    return [ALIASES.get(method, method) for method in methods]


def systems_of_methods(unified: Path) -> dict[str, str]:
    """Map the methods that may be requested to their deep systems in papers/unified.yaml."""
    rows = _table(strict_yaml.load(unified).value)["rows"]
    found = ((DEEP.fullmatch(row["id"]), row["system"]) for row in rows)
    return {match["method"]: system for match, system in found if match}


def _table(paper: Mapping[str, Any]) -> dict[str, Any]:
    return next(dict(table) for table in paper["tables"] if table["id"] == TABLE_OF_METHODS)


def paper_of(asked: TextRequest, unified: Path) -> dict[str, Any]:
    """Return the paper of a text: the requested rows of the table of methods, and their curves."""
    ours = strict_yaml.load(unified).value
    known = systems_of_methods(unified)
    systems = [BASELINE, *(known[method] for method in asked.methods)]
    needed = dict.fromkeys(systems)
    for name in list(needed):
        while name := ours["systems"][name].get("from", ""):
            needed[name] = None
    table = _table(ours)
    rows = {row["system"]: row for row in table["rows"]}
    target = language(asked.target)
    table["columns"]["bleu"] |= {
        "measure": target.bleu,
        "definition": f"sacreBLEU, {target.tokeniser}, de-tokenised, cased",
    }
    table |= {
        "id": f"{asked.scale}.table1",
        "caption": f"Methods on {asked.scale.removeprefix(PREFIX)}, under one budget",
        "rows": [rows[name] | {"id": f"{asked.scale}.t1.{name}"} for name in systems],
    }
    lines = [
        {"label": f"{rows[name]['group']}, {rows[name]['label']}", "system": name}
        for name in systems
    ]
    return {
        "paper": {
            "key": asked.scale,
            "title": title(asked),
            "authors": ["this project"],
            "year": ours["paper"]["year"],
        },
        "vocabulary": {},
        "systems": {name: each for name, each in ours["systems"].items() if name in needed},
        "tables": [table],
        "figures": [
            {
                "id": f"{asked.scale}.fig1",
                "number": 1,
                "section": "",
                "plots": "perplexity of the dev set over training",
                "systems": systems,
                "finding": "",
                "draw": {
                    "kind": "learning-curve",
                    "panels": [{"label": title(asked), "split": "dev", "lines": lines}],
                },
            }
        ],
    }


def title(asked: TextRequest) -> str:
    """Return the title of the text."""
    return f"{asked.text.resolve().name}, {asked.source} to {asked.target}"


def corpora_of(
    asked: TextRequest, lines: Mapping[str, int], archive: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the entries of corpora.yaml; `archive` has the size and the sum of the clean text."""
    key = f"{asked.scale}.tar.gz"
    obtain = f"delete texts/{asked.scale} and run `make text` again, which reads the text again"
    splits = {
        split: [{"archive": key, "member": split + ".{language}", "lines": count}]
        for split, count in lines.items()
    }
    corpus = {
        "source": asked.source,
        "target": asked.target,
        "title": title(asked),
        "licence": "that of the text",
        "citation": "none",
        "note": f"{lines['train']:,} training pairs of your own text.",
        "splits": splits,
    }
    return {
        "archives": {key: {"name": key, **archive, "obtain": obtain}},
        "corpora": {asked.corpus: corpus},
    }


def scale_of(asked: TextRequest, pieces: int, size: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scale of a text; `size` holds what the hours decide (estimate/hours.py)."""
    width, updates = size["width"], size["updates"]
    heads = max(4, width // 64)
    return {
        "name": asked.scale,
        "title": title(asked),
        "note": f"Models {width} wide, {updates:,} updates, as fits {asked.hours:g} hours."
        " No paper trained on it: the numbers are never comparable with a"
        " paper's.",
        "corpora": {"common": asked.corpus},
        "widths": {
            "base": {"d_model": width, "feed_forward": 4 * width, "heads": heads},
            "rnmt512": {"d_model": width, "feed_forward": width, "heads": heads},
        },
        "depths": {"shallow": size["shallow"], "deep": size["deep"]},
        "change": {
            "data.normalise": False,
            "data.tokenise": "none",
            "data.aggressive": False,
            "data.escape": False,
            "data.lowercase": False,
            "data.max_tokens": 150,
            "data.max_ratio": 4.0,
            "data.clean_on": "subwords",
            "data.subword": "sentencepiece",
            "data.merges": pieces,
            "data.joint": False,
            "training.lr": size["lr"],
            "training.warmup": max(1, min(4000, updates // 4)),
            "training.updates": updates,
            "training.batch_tokens": size["batch_tokens"],
            "training.dropout": size["dropout"],
            "training.embedding_dropout": size["dropout"],
            "training.attention_dropout": 0.0,
            "training.feed_forward_dropout": 0.0,
            "training.checkpoint_every": max(1, updates // 20),
            # With few updates, only the end can tell that a run stalled.
            "training.divergence_patience": 0.5 if updates >= 1000 else 1.0,
            "training.average": "weights",
            "training.average_last": 5,
            "decoding.alpha": 1.0,
        },
        "threads": size["threads"],
        "gpus": size["gpus"],
        "dev_every": max(1, updates // size["evaluations"]),
        "gradients_every": max(1, updates // 50),
        "layer_weights_every": max(1, updates // 50),
        "decode": ["test"],
    }
