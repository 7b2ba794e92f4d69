"""Put the record of a run that cost real time on the shelf in git, records/<scale>.jsonl."""

import json
from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import parse
from deepmt.files import write_text


@dataclass(frozen=True, kw_only=True)
class Args:
    """Add records to the shelf, each on a line; one of the same run and seed is replaced."""

    records: tuple[Path, ...]
    output: Path = Path("records")


def main(args: Args) -> None:
    """Write every shelf that the records belong to."""
    for path in args.records:
        record = json.loads(path.read_text())
        shelf = args.output / f"{record['scale']}.jsonl"
        lines = shelf.read_text().split("\n")[:-1] if shelf.exists() else []
        kept = [line for line in lines if place(json.loads(line)) != place(record)]
        kept.append(json.dumps(record, sort_keys=True, separators=(",", ":")))
        write_text(shelf, "".join(f"{line}\n" for line in sorted(kept)))


def place(record: dict[str, object]) -> tuple[object, object]:
    """What there is one record of."""
    return record["run"], record["seed"]


if __name__ == "__main__":
    main(parse(Args))
