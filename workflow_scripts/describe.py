"""Write data.json, the settings of an encoding, from a run's spec."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import parse
from deepmt.files import write_json
from deepmt.spec import from_json


@dataclass(frozen=True, kw_only=True)
class Args:
    """The data section of a spec, by itself: runs with equal data share one encoding."""

    spec: Path
    output: Path


def main(args: Args) -> None:
    """Write it."""
    write_json(args.output, dataclasses.asdict(from_json(args.spec.read_text()).data))


if __name__ == "__main__":
    main(parse(Args))
