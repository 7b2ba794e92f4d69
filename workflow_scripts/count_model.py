"""Count the parameters and operations of a run's model, which takes building it."""

from dataclasses import asdict
from pathlib import Path

from deepmt.cli import run
from deepmt.config.spec import read_spec
from deepmt.estimate.model_counts import count
from deepmt.files import write_json


def main(*, spec: Path, output: Path) -> None:
    """Write estimate.json."""
    write_json(output, asdict(count(read_spec(spec))))


if __name__ == "__main__":
    run(main)
