"""Read the translations of the rows of a table, if they exist."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deepmt.base.files import REMEDY, check_hashes
from deepmt.data.dataset import Dataset
from deepmt.data.raw_corpus import RawCorpus
from deepmt.measured.decoded import Decoded
from deepmt.measured.failures import failures
from deepmt.measured.hypotheses import read_hypotheses, read_text
from deepmt.measured.records import Record
from deepmt.measured.system_value import scored_split
from deepmt.measured.table import Measured
from deepmt.scores.scored_texts import Texts, reference_files, texts_of, without_tokens
from deepmt.scores.scores import MEASURES
from deepmt.settings.seed_folder import SeedFolder
from deepmt.settings.spec import Data, Spec
from deepmt.study.measures import Quantity, of_split
from deepmt.study.papers import Row


@dataclass(frozen=True, kw_only=True)
class Translation:
    """Hold a row's translation by one finished seed, or the reason why there is none."""

    row: Row
    missing: str = ""
    record: Record | None = None
    split: str = ""
    texts: Texts | None = None


def translations_of(
    row: Row, asked: Quantity, results: Measured, folder: Path, root: Path
) -> Iterator[Translation]:
    """Yield the translation of every finished seed that a score can read, or one without a text.

    `folder` is results/<scale>; records/ contain no tokens. A translation or a reference that was
    changed, or is not there, is missing.
    """
    records = results.records_of(row.id)
    measure, split = of_split(asked.measure, asked.split)
    text = MEASURES[measure].text
    finished = [
        (one, scored_split(one, measure, split)) for one in records if one.outcome == "finished"
    ]
    kept = [
        (record, split)
        for record, split in finished
        if not record.archived or (text == "detokenised" and split in record.hypotheses)
    ]
    if not kept:
        unkept = f"recorded in records/, which contains no {text} translation"
        reason = unkept if finished else _why_missing(row, results, records)
        yield Translation(row=row, missing=reason)
    for record, split in kept:
        try:
            texts = _texts_of(record, results.specs[row.id], split, folder, root)
        except (ValueError, OSError) as error:
            yield Translation(row=row, missing=str(error))
        else:
            yield Translation(row=row, record=record, split=split, texts=texts)


def _texts_of(record: Record, spec: Spec, split: str, folder: Path, root: Path) -> Texts:
    """Read a seed's translation and its reference, without tokens if they are archived."""
    dataset = Dataset(root / "data/encoded" / spec.dataset, spec.data)
    if record.archived:
        check_references(record, split, reference=dataset.raw(split, spec.data.target))
        lines = recorded_translation(record, split, root / "records")
        return without_tokens(lines, dataset, split)
    check_references(record, split, **reference_files(dataset, split))
    seed = SeedFolder.of(folder, spec.run, record.seed)
    check_hashes(seed.path, Decoded.read(seed.decoded(split)).sha256, REMEDY)
    if split in record.hypotheses:
        known = {seed.hypotheses(split).name: record.hypotheses[split]}
        check_hashes(seed.path, known, REMEDY)
    return texts_of(seed, dataset, split)


def check_references(record: Record, split: str, **files: Path) -> None:
    """Compare references, named as the fields of Texts, with the hashes that the record has.

    Raises ValueError if one differs.
    """
    known = record.references.get(split, {})
    for name, path in files.items():
        if name in known:
            remedy = "put back the reference that the translations were scored with"
            check_hashes(path.parent, {path.name: known[name]}, remedy)


def raw_pair(record: Record, settings: Data, split: str, root: Path) -> list[Path]:
    """Return the text of both sides of a split before any step; none if it is not built here.

    Raises ValueError if it was changed.
    """
    if not (corpus := RawCorpus(root / "data/raw" / settings.corpus)).is_built:
        return []
    source, reference = (corpus.file(split, language) for language in settings.languages)
    check_references(record, split, reference=reference)
    return [source, reference]


def recorded_translation(record: Record, split: str, archive: Path) -> list[str]:
    """Return the detokenised translation of a split that a record names by its hash.

    Raises:
        ValueError: it is missing or damaged; names the file.
    """
    digest = record.hypotheses[split]
    if record.archived:
        return read_hypotheses(archive, record.run, record.seed, {split: digest})[split]
    return read_text(record.files.hypotheses(split), digest)


def _why_missing(row: Row, results: Measured, records: list[Record]) -> str:
    if row.id in results.unavailable:
        return f"not run: {results.unavailable[row.id]}"
    if refusals := results.refusals_of(row.id):
        return refusals[0]
    return failures(records) or "not run"
