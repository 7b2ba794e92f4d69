"""Write the course of a finished seed: what was seen while it trained, from its log."""

import json
from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import parse
from deepmt.config.spec import from_json
from deepmt.files import write_text
from deepmt.results.attempts import read_events, sections
from deepmt.results.record_archive import one_line
from deepmt.results.training_curves import SCHEMA


@dataclass(frozen=True, kw_only=True)
class Args:
    """Read log.jsonl beside the outcome."""

    spec: Path
    outcome: Path
    scale: str
    seed: int
    output: Path


def main(args: Args) -> None:
    """Write course.json, one line."""
    spec = from_json(args.spec.read_text())
    course = {
        "schema": SCHEMA,
        "run": spec.run,
        "spec_sha256": spec.sha256,
        "seed": args.seed,
        "scale": args.scale,
        "updates": json.loads(args.outcome.read_text())["updates"],
        **sections(read_events(args.outcome.with_name("log.jsonl"))),
    }
    write_text(args.output, one_line(course) + "\n")


if __name__ == "__main__":
    main(parse(Args))
