"""Describe every split of every dataset that was built, and compare printed statistics with it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepmt.data.dataset import Dataset
from deepmt.data.manifest import Manifest
from deepmt.data.raw_corpus import RawCorpus
from deepmt.measured.corpus_terms import describe_synthetic
from deepmt.measured.untrained_values import UntrainedValue
from deepmt.settings.spec import Spec
from deepmt.study.plan import Plan
from deepmt.study.requested_text import statistic_specs


@dataclass(frozen=True, kw_only=True)
class EncodedSplit:
    """Represent a line of corpora.csv; words are counted before subword segmentation."""

    corpus: str
    dataset: str
    settings: str
    """Hash of the text and subword settings."""
    split: str
    source: str
    target: str
    sentences: int
    source_words: int
    target_words: int
    source_subwords: int
    target_subwords: int
    source_vocabulary: int
    target_vocabulary: int
    source_unknown: float
    target_unknown: float
    """Share of the subwords that the vocabulary lacks."""
    source_merges: int | None
    target_merges: int | None
    """Number learned, not the number requested; None without BPE."""
    dropped: str
    """Numbers of pairs that cleaning removed, with reasons."""
    source_sha256: str
    target_sha256: str
    """Hashes of the files of ids."""
    title: str
    note: str
    licence: str
    citation: str
    synthetic: str
    """Number and origin of the back-translated pairs."""


def read_datasets(data: Path, names: Iterable[str]) -> list[EncodedSplit]:
    """Return every split of these datasets below `data`, without those that are not encoded."""
    datasets = (Dataset(data / "encoded" / name) for name in names)
    # One of an earlier version, without `cleaning`, is made again.
    built = (dataset for dataset in datasets if "cleaning" in dataset.counted)
    return [split for dataset in built for split in read_dataset(dataset, data / "raw")]


def read_dataset(dataset: Dataset, raw: Path) -> list[EncodedSplit]:
    """Return every split of a dataset; `raw` is the folder of all corpora's raw text."""
    manifest, counts, folder = dataset.manifest, dataset.counted, dataset.folder
    corpus = manifest.settings["corpus"]
    synthetic = _synthetic(raw, corpus)
    return [
        EncodedSplit(
            corpus=corpus,
            dataset=folder.name,
            settings=folder.name.removeprefix(f"{corpus}-"),
            split=name,
            sentences=found.sentences,
            dropped=_dropped(counts["cleaning"][name]),
            synthetic=synthetic if name == "train" else "",
            title=manifest.title,
            note=manifest.note,
            licence=manifest.licence,
            citation=manifest.citation,
            **_side("source", name, manifest, counts),
            **_side("target", name, manifest, counts),
        )
        for name, found in manifest.splits.items()
    ]


def _side(side: str, split: str, manifest: Manifest, counts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the language of a side, and its numbers in a split."""
    language, found = manifest.settings[side], manifest.splits[split]
    tokens = found.tokens[language]
    return {
        side: language,
        f"{side}_words": counts["words"][split][language],
        f"{side}_subwords": tokens,
        f"{side}_vocabulary": manifest.vocabulary[language],
        f"{side}_unknown": found.unknown[language] / tokens if tokens else 0.0,
        f"{side}_merges": counts["merges"][language] if counts["merges"] else None,
        f"{side}_sha256": manifest.sha256[f"ids/{split}.{language}.ids.npy"],
    }


def _dropped(cleaning: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {why}" for why, n in sorted(cleaning.items()) if why != "kept")


def _synthetic(raw: Path, corpus: str) -> str:
    """Return a sentence on the back-translated pairs of a corpus, or "" if there are none."""
    text = RawCorpus(raw / corpus)
    found = text.counts if text.is_built else {}
    return describe_synthetic(corpus, found["synthetic"]) if "synthetic" in found else ""


TRAINING = "train"


def read_statistics(
    plan: Plan, built: Iterable[EncodedSplit]
) -> dict[tuple[str, str], UntrainedValue]:
    """Return our statistics by row and column; only the paper's own scale is judged."""
    training = {found.dataset: found for found in built if found.split == TRAINING}
    return {
        (row, column): UntrainedValue(
            value=value,
            note=note,
            file="corpora.csv",
            judged=plan.scale.as_printed,
            corpus=spec.data.corpus,
            dataset=spec.dataset,
        )
        for row, spec in statistic_specs(plan).items()
        if spec.dataset in training
        for column, value, note in _values(training[spec.dataset], spec)
    }


def _values(found: EncodedSplit, spec: Spec) -> Iterator[tuple[str, float, str]]:
    """Yield column, value, and a note on how it was counted."""
    words = f"words of {found.dataset}, before subwords"
    yield "src_tokens_m", found.source_words / 1e6, words
    yield "tgt_tokens_m", found.target_words / 1e6, words
    yield "sentences_m", found.sentences / 1e6, f"pairs of {found.dataset}, after cleaning"
    if found.source_merges is not None and found.target_merges is not None:
        learned = (found.source_merges + found.target_merges) / 2
        apart = f"{found.source} {found.source_merges:,}, {found.target} {found.target_merges:,}"
        yield (
            "bpe_merges_k",
            learned / 1e3,
            "learned jointly" if spec.data.joint else f"learned by side: {apart}",
        )
