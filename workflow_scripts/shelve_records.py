"""Put records of runs that cost real time, and the courses beside them, on the shelf in git."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepmt.cli import parse
from deepmt.files import write_text


@dataclass(frozen=True, kw_only=True)
class Args:
    """Add records to <scale>.jsonl, a line each, and the course.json beside each to courses/.

    What stood there of the same run and seed is replaced.
    """

    records: tuple[Path, ...]
    output: Path = Path("records")


def main(args: Args) -> None:
    """Write every shelf that the records belong to."""
    for path in args.records:
        record = json.loads(path.read_text())
        shelf = f"{record['scale']}.jsonl"
        replace(args.output / shelf, record, record)
        course = path.with_name("course.json")
        seen = json.loads(course.read_text()) if course.exists() else None
        replace(args.output / "courses" / shelf, record, seen)


def replace(shelf: Path, record: dict[str, Any], found: dict[str, Any] | None) -> None:
    """Take the line of a record's run and seed from a shelf, and put another one there, if any."""
    lines = shelf.read_text().split("\n")[:-1] if shelf.exists() else []
    kept = [line for line in lines if place(json.loads(line)) != place(record)]
    if found is not None:
        kept.append(json.dumps(found, sort_keys=True, separators=(",", ":")))
    if kept or shelf.exists():
        write_text(shelf, "".join(f"{line}\n" for line in sorted(kept)))


def place(record: dict[str, Any]) -> tuple[object, object]:
    """What there is one record of."""
    return record["run"], record["seed"]


if __name__ == "__main__":
    main(parse(Args))
