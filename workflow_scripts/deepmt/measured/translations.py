"""Read the translations of the rows of a table, if they exist."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deepmt.base.files import REMEDY, check_hashes, read_json
from deepmt.measured.cell_values import score_of
from deepmt.measured.comparisons import name_in_table
from deepmt.measured.failures import failures
from deepmt.measured.hypotheses import read_hypotheses, read_text
from deepmt.measured.records import Record
from deepmt.measured.results import Results
from deepmt.scores.scored_texts import Texts, reference_files, texts_of
from deepmt.settings.spec import Data
from deepmt.study.papers import Column, Row


@dataclass(frozen=True, kw_only=True)
class Translation:
    """Hold a row's translation by one finished seed, or the reason why there is none."""

    row: Row
    missing: str = ""
    record: Record | None = None
    split: str = ""
    texts: Texts | None = None

    @property
    def name(self) -> str:
        """Return the row's id within its table."""
        return name_in_table(self.row)


def translations_of(
    row: Row, column: Column, results: Results, folder: Path, data: Path
) -> Iterator[Translation]:
    """Yield the translation of every finished seed, or one without a text.

    `folder` is results/<scale>, `data` has the references. Raises ValueError as `texts_of` does,
    and for a translation or a reference that was changed.
    """
    records = results.records_of(row)
    finished = [r for r in records if r.outcome == "finished" and not r.archived]
    if not finished:
        yield Translation(row=row, missing=_why_missing(row, results, records))
    for record in finished:
        spec = results.specs[row.id]
        _, split = score_of(record, row, column)
        seed = folder / "runs" / spec.run / f"seed{record.seed}"
        check_hashes(seed, read_json(seed / f"decoding.{split}.json")["sha256"], REMEDY)
        if split in record.hypotheses:
            check_hashes(seed, {f"hyp.{split}.txt": record.hypotheses[split]}, REMEDY)
        dataset = data / "encoded" / spec.dataset
        check_references(record, dataset, spec.data, split)
        texts = texts_of(seed, dataset, spec.data, split)
        yield Translation(row=row, record=record, split=split, texts=texts)


def check_references(record: Record, dataset: Path, settings: Data, split: str) -> None:
    """Compare the references at hand with those of the record, if it has their hashes.

    Raises ValueError if one differs.
    """
    known = record.references.get(split, {})
    for name, path in reference_files(dataset, settings, split).items():
        if name in known and path.exists():
            remedy = "put back the reference that the translations were scored with"
            check_hashes(path.parent, {path.name: known[name]}, remedy)


def recorded_translation(record: Record, split: str, archive: Path) -> list[str]:
    """Return the detokenised translation of a split that a record names by its hash.

    Raises:
        ValueError: it is missing or damaged; names the file.
    """
    digest = record.hypotheses[split]
    if record.archived:
        return read_hypotheses(archive, record.run, record.seed, {split: digest})[split]
    return read_text(record.folder / f"hyp.{split}.txt", digest)


def _why_missing(row: Row, results: Results, records: list[Record]) -> str:
    if row.id in results.unavailable:
        return f"not run: {results.unavailable[row.id]}"
    if refusals := results.refusals_of(row):
        return refusals[0]
    if any(record.outcome == "finished" for record in records):
        return "recorded in records/, which contains no translations"
    return failures(records) or "not run"
