"""Put records of runs that cost real time, with curves and hypotheses, into the archive in git."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from deepmt.base.cli import run
from deepmt.base.errors import UserError
from deepmt.base.files import REMEDY, naming, read_json
from deepmt.base.locks import locked
from deepmt.base.printable import printable
from deepmt.measured.archive_faults import archive_faults
from deepmt.measured.consistency import contradictions
from deepmt.measured.hypotheses import hypotheses_of, write_hypotheses
from deepmt.measured.record_archive import put_measured, replace_line
from deepmt.measured.records import Record, read_record
from deepmt.measured.seed_files import read_seeds
from deepmt.measured.training_curves import TrainingCurves, curves_line
from deepmt.settings.seed_folder import SeedFolder
from deepmt.settings.spec import from_sections
from deepmt.settings.strict import message_of, unknown
from deepmt.settings.strict_yaml import names_in


@dataclass(frozen=True, kw_only=True)
class Checked:
    """Hold what goes into the archive for one seed."""

    record: Record
    value: Mapping[str, Any]
    """The record as its file has it."""
    curves: Mapping[str, Any] | None
    hypotheses: Mapping[str, Sequence[str]]


def main(
    *,
    records: tuple[Path, ...] = (),
    measured: tuple[Path, ...] = (),
    output: Path = Path("records"),
    root: Path = Path(),
) -> None:
    """Add records to <scale>*.jsonl, one per line, and what belongs to them to other folders.

    Their training curves go to curves/, their hypotheses to hypotheses/. They replace what the
    archive has for the same run and seed. All records are read as a report reads them, beside those
    of the archive, before any is written. `measured` are CSV files of untrained models. Without
    any, check the whole archive, and change nothing.

    Raises:
        UserError: something does not enter, or in the archive is not as it was put there.
    """
    scales = names_in(root / "scales")
    if not records and not measured:
        if found := "\n".join(archive_faults(output, scales)):
            raise UserError(found)
        print(printable(f"{output}: all is as it was put there"))
        return
    checked = [read(path, scales) for path in records]
    output.mkdir(exist_ok=True)
    with naming(output), locked(output / ".lock"):
        for path in measured:
            put_measured(path, output)
        for scale in {one.record.scale for one in checked}:
            check_together([one.record for one in checked if one.record.scale == scale], output)
        for one in checked:
            seed = (one.record.scale, one.record.run, one.record.seed)
            # Killed in between, this leaves every line with what it names, but for one whose
            # hypotheses are replaced: a report refuses it until this has run again.
            if one.hypotheses:
                write_hypotheses(one.hypotheses, one.record.run, one.record.seed, output)
            replace_line(output / "curves", *seed, one.curves)
            replace_line(output, *seed, one.value)
            if not one.hypotheses:
                write_hypotheses({}, one.record.run, one.record.seed, output)
    print(printable(f"{output}: files taken in: {len(records) + len(measured)}"))


def read(path: Path, scales: Iterable[str]) -> Checked:
    """Return a record that a report would read, with what lies beside it.

    Raises:
        ValueError: it would not; names file, key and reason.
    """
    if path.name != SeedFolder(path.parent).record.name:
        raise UserError(f"{path}: is no record; results/<scale>/runs/<run>/seed<n> has record.json")
    value = read_json(path)
    try:
        record = replace(read_record(value), location=str(path))
        if record.scale not in scales:
            raise UserError(f"scale: {unknown('scale', record.scale, scales)}")
        if record.run != (run := from_sections(record.spec).run):
            raise UserError(f"run: {record.run!r} is not {run}, the name of its settings")
    except ValueError as error:
        raise UserError(f"{path}: {error}; {REMEDY}") from error
    log, curves = SeedFolder(path.parent).log, None
    if log.exists():
        try:
            curves = curves_line(value, log)
            TypeAdapter(TrainingCurves).validate_json(json.dumps(curves))
        except ValueError as error:
            raise UserError(f"{log}: {message_of(error)}; {REMEDY}") from error
    hypotheses = hypotheses_of(value, path.parent)
    return Checked(record=record, value=value, curves=curves, hypotheses=hypotheses)


def check_together(new: Sequence[Record], archive: Path) -> None:
    """Raise ValueError if one contradicts the others, or what stays in the archive of its scale."""
    replaced = {(record.run, record.seed) for record in new}
    old, _ = read_seeds(Record, (), archive, None, new[0].scale)
    kept = [record for record in old if (record.run, record.seed) not in replaced]
    for record, why in contradictions([*kept, *new]):
        if record in new:
            raise UserError(f"{record.location}: {why}; {REMEDY}")


if __name__ == "__main__":
    run(main)
