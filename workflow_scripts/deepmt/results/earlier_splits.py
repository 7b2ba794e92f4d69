"""Show what other commands measured with the weights of a record."""

import json
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter

from deepmt.files import read_json
from deepmt.results.measured_splits import perplexities_of, scores_of
from deepmt.results.records import Record, RecordedScore

SCORES = TypeAdapter(dict[str, dict[str, RecordedScore]])


def with_earlier(record: Record) -> Record:
    """Add splits that another command scored with the same weights; `record` was made here.

    A record holds what its own command asked for. A split counts if each checkpoint has it.
    """
    folder = Path(record.location.rpartition(":")[0]).parent
    points = [folder, *sorted(folder.glob("checkpoint*"))]
    names = {path.name.split(".")[1] for path in folder.glob("scores.*.json")}
    for split in sorted(names - record.scores.keys()):
        paths = [point / f"scores.{split}.json" for point in points]
        reports = list(map(read_json, filter(is_up_to_date, paths)))
        # Those of an earlier version do not hold how the text was translated.
        if len(reports) == len(points) and all("split" in report for report in reports):
            record = replace(
                record,
                scores=record.scores | SCORES.validate_json(json.dumps(scores_of(reports))),
                perplexities={**perplexities_of(reports), **record.perplexities},
            )
    return record


def is_up_to_date(path: Path) -> bool:
    """Check if a file exists and is not older than its folder's weights."""
    weights = path.with_name("model.safetensors")
    both = path.exists() and weights.exists()
    return both and path.stat().st_mtime >= weights.stat().st_mtime
