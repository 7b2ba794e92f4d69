"""Put records of runs that cost real time, with curves and hypotheses, into the archive in git."""

from pathlib import Path

from deepmt.cli import run
from deepmt.files import read_json
from deepmt.results.hypotheses import archive_hypotheses
from deepmt.results.record_archive import add_hashes, replace_line
from deepmt.results.training_curves import curves_line


def main(
    *,
    records: tuple[Path, ...] = (),
    output: Path = Path("records"),
) -> None:
    """Add records to <scale>*.jsonl, one per line, and what belongs to them to other folders.

    Their training curves go to curves/, their hypotheses to hypotheses/. They replace what the
    archive has for the same run and seed. Without records, add its hash to each line that has none,
    and list those of the CSV files again.
    """
    if not records:
        add_hashes(output)
    for path in records:
        record = read_json(path)
        log = path.with_name("log.jsonl")
        curves = curves_line(record, log) if log.exists() else None
        seed = (record["scale"], record["run"], record["seed"])
        replace_line(output, *seed, record)
        replace_line(output / "curves", *seed, curves)
        archive_hypotheses(record, path.parent, output)


if __name__ == "__main__":
    run(main)
