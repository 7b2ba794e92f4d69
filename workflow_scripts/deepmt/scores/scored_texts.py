"""Read a translation and its reference as lines, and check that they match."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.data.dataset import Dataset
from deepmt.data.lines import read_lines
from deepmt.settings.seed_folder import PointFolder


@dataclass(frozen=True, kw_only=True)
class Texts:
    """Hold one translation and its reference in the forms that metrics read, line by line."""

    hypotheses: Sequence[str]  # tokenised, subwords joined
    detokenised: Sequence[str]
    reference: Sequence[str]  # raw
    tokenised_reference: Sequence[str]
    target_language: str

    @property
    def empty_hypotheses(self) -> int:
        """Count the segments without words; they are scored like all others."""
        return sum(not line.strip() for line in self.hypotheses)


def reference_files(dataset: Dataset, split: str) -> dict[str, Path]:
    """Return the files of the raw and the tokenised reference, named as the fields of Texts."""
    target = dataset.settings.target
    return {
        "reference": dataset.raw(split, target),
        "tokenised_reference": dataset.tokens(split, target),
    }


def source_of(dataset: Dataset, split: str) -> list[str]:
    """Read the raw source of a split."""
    settings = dataset.settings
    undo = dataset.segmenter(settings.source).undo if settings.subword == "cut" else str
    return [undo(line) for line in read_lines(dataset.raw(split, settings.source))]


def texts_of(folder: PointFolder, dataset: Dataset, split: str) -> Texts:
    """Read the translation of a split in the folder of a seed, and its reference.

    Raises ValueError as `read_texts` does.
    """
    settings = dataset.settings
    texts = read_texts(
        hypotheses=folder.tokenised(split),
        detokenised=folder.hypotheses(split),
        **reference_files(dataset, split),
        target_language=settings.target,
    )
    if settings.subword != "cut":
        return texts
    # The references come cut like all text of the corpus.
    whole = dataset.segmenter(settings.target).undo
    return replace(
        texts,
        reference=list(map(whole, texts.reference)),
        tokenised_reference=list(map(whole, texts.tokenised_reference)),
    )


def without_tokens(translation: Sequence[str], dataset: Dataset, split: str) -> Texts:
    """Return a detokenised translation and its raw reference; raise ValueError as `texts_of`."""
    settings = dataset.settings
    path = dataset.raw(split, settings.target)
    reference = list(read_lines(path))
    if settings.subword == "cut":
        reference = list(map(dataset.segmenter(settings.target).undo, reference))
    if len(translation) != len(reference):
        raise UserError(f"{path} has {len(reference)} lines and the translation {len(translation)}")
    return Texts(
        hypotheses=(),
        detokenised=translation,
        reference=reference,
        tokenised_reference=(),
        target_language=settings.target,
    )


def read_texts(*, target_language: str, **paths: Path) -> Texts:
    """Read each text from its path, named as its field of Texts, one segment per line.

    Raises:
        OSError, ValueError: if a file is missing, or not UTF-8, or the numbers of lines differ.
    """
    lines = {role: list(read_lines(path)) for role, path in paths.items()}
    expected = len(lines["hypotheses"])
    for role, path in paths.items():
        if not lines[role]:
            raise UserError(f"{path} ({role}) is empty: it must have a segment a line")
        if len(lines[role]) != expected:
            raise UserError(
                f"{paths['hypotheses']} (hypotheses) has {expected} lines and {path} ({role})"
                f" {len(lines[role])}; all files must contain the same segments"
            )
    return Texts(target_language=target_language, **lines)
