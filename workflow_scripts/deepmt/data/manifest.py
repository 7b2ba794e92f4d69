"""The manifest of an encoding: what is in it, where it is from, and the sums of its files."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from deepmt.config.corpora import Corpus
from deepmt.config.spec import Data
from deepmt.data.encoded import Counts
from deepmt.data.vocabulary import Vocabulary

TOOLS = ("sacremoses", "jieba", "subword-nmt", "sentencepiece", "numpy")


def describe(
    corpus: Corpus,
    settings: Data,
    folder: Path,
    counts: Mapping[str, Counts],
    vocabularies: Mapping[str, Vocabulary],
) -> dict[str, Any]:
    """All that a table's note or a run's record needs to say about its data.

    `counts` is keyed by `{set}.{language}`. Raises ValueError if the sides of a set differ.
    """
    return {
        "title": corpus.title,
        "note": corpus.note,
        "licence": corpus.licence,
        "citation": corpus.citation,
        "settings": asdict(settings),
        "vocabulary": {language: len(tokens) for language, tokens in vocabularies.items()},
        "sets": _sets(settings, counts),
        "sha256": {str(path.relative_to(folder)): _sha256(path) for path in sorted(_files(folder))},
        "tools": {tool: version(tool) for tool in TOOLS},
    }


def _sets(settings: Data, counts: Mapping[str, Counts]) -> dict[str, Any]:
    sets: dict[str, Any] = {}
    for name in dict.fromkeys(stem.rsplit(".", 1)[0] for stem in counts):
        sides = {language: counts[f"{name}.{language}"] for language in settings.languages}
        source, target = (side.sentences for side in sides.values())
        if source != target:
            raise ValueError(f"{name} has {source:,} source and {target:,} target sentences")
        sets[name] = {
            "sentences": source,
            "tokens": {language: side.tokens for language, side in sides.items()},
            "unknown": {language: side.unknown for language, side in sides.items()},
        }
    return sets


def _files(folder: Path) -> list[Path]:
    patterns = ("codes.*", "pieces.*", "vocab.*", "bpe/*", "ids/*.npy")
    return [path for pattern in patterns for path in folder.glob(pattern)]


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
