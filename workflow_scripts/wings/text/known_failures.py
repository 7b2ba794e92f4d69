"""Warn of methods that no recorded run has ever trained at such a depth."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from deepmt.base.files import visible
from deepmt.measured.record_archive import lines_of
from deepmt.measured.records import Record, read_record
from deepmt.measured.seeds import trains
from deepmt.settings.spec import Spec


def known_failures(specs: Mapping[str, Spec], archive: Path) -> Iterator[str]:
    """Yield a sentence for each system whose method failed in every record of as many layers."""
    files = visible(archive, "*.jsonl")
    records = [read_record(json.loads(line)) for file in files for line in lines_of(file)]
    for row, spec in specs.items():
        alike = [record for record in records if _is_alike(record, spec)]
        if alike and not any(map(trains, alike)):
            yield (
                f"{row}: in each of {len(alike)} recorded runs its method, with"
                f" {spec.encoder.layers} layers or more, learned nothing: leave it out of METHODS"
            )


def _is_alike(record: Record, spec: Spec) -> bool:
    """Check for a record of the same method and optimiser, at least as deep, that tells its end.

    A trial that finished and translated nothing does not.
    """
    told = record.scores or record.outcome != "finished"
    deep = record.spec["encoder"]["layers"] >= spec.encoder.layers
    same = record.spec["training"]["optimizer"] == spec.training.optimizer
    return bool(told) and deep and same and record.spec["method"] == spec.sections["method"]
