"""Put records of runs that cost real time, with curves and hypotheses, into the archive in git."""

import json
from pathlib import Path
from typing import Any

from filelock import FileLock

from deepmt.cli import run
from deepmt.errors import UserError
from deepmt.files import REMEDY, naming, without_own_hash
from deepmt.results.hypotheses import archive_hypotheses
from deepmt.results.record_archive import add_hashes, replace_line
from deepmt.results.records import read_record
from deepmt.results.training_curves import curves_line
from deepmt.spec.spec import from_sections


def main(
    *,
    records: tuple[Path, ...] = (),
    output: Path = Path("records"),
) -> None:
    """Add records to <scale>*.jsonl, one per line, and what belongs to them to other folders.

    Their training curves go to curves/, their hypotheses to hypotheses/. They replace what the
    archive has for the same run and seed. Without records, add its hash to each line that has none,
    and list those of the CSV files again. Each record is read as a report reads it before any is
    written.
    """
    checked = [(path, checked_record(path)) for path in records]
    output.mkdir(exist_ok=True)
    with naming(output), FileLock(output / ".lock"):
        if not records:
            add_hashes(output)
        for path, record in checked:
            log = path.with_name("log.jsonl")
            curves = curves_line(record, log) if log.exists() else None
            seed = (record["scale"], record["run"], record["seed"])
            archive_hypotheses(record, path.parent, output)
            replace_line(output / "curves", *seed, curves)
            replace_line(output, *seed, record)


def checked_record(path: Path) -> dict[str, Any]:
    """Return a record that a report would read.

    Raises:
        ValueError: it would not; names file, key and reason.
    """
    try:
        value = without_own_hash(json.loads(path.read_bytes()), hashed=False)
        record = read_record(value)
        if record.run != (run := from_sections(record.spec).run):
            raise UserError(f"run: {record.run!r} is not {run}, the name of its settings")
    except ValueError as error:
        raise UserError(f"{path}: {error}; {REMEDY}") from error
    return value


if __name__ == "__main__":
    run(main)
