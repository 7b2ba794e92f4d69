"""Put records of runs that cost real time, and the courses beside them, on the shelf in git."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepmt.cli import parse
from deepmt.files import write_text
from deepmt.results.record_archive import key, lines_of, one_line, part_with_room, parts


@dataclass(frozen=True, kw_only=True)
class Args:
    """Add records to <scale>*.jsonl, a line each, and the course.json beside each to courses/.

    What stood there of the same run and seed is replaced.
    """

    records: tuple[Path, ...]
    output: Path = Path("records")


def main(args: Args) -> None:
    """Write every shelf that the records belong to."""
    for path in args.records:
        record = json.loads(path.read_text())
        replace(args.output, record, record)
        course = path.with_name("course.json")
        seen = json.loads(course.read_text()) if course.exists() else None
        replace(args.output / "courses", record, seen)


def replace(shelf: Path, record: dict[str, Any], found: dict[str, Any] | None) -> None:
    """Take the line of a record's run and seed from a shelf, and put another one there, if any."""
    place = record["run"], record["seed"]
    for path in parts(shelf, record["scale"]):
        lines = lines_of(path)
        if len(kept := [line for line in lines if key(line) != place]) < len(lines):
            write(path, kept)
    if found is not None:
        path = part_with_room(shelf, record["scale"])
        write(path, [*lines_of(path), one_line(found)])


def write(path: Path, lines: list[str]) -> None:
    """A file of the shelf."""
    write_text(path, "".join(f"{line}\n" for line in sorted(lines)))


if __name__ == "__main__":
    main(parse(Args))
