"""Find the scales at which the archive has records of a row."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from deepmt.base.files import visible
from deepmt.measured.record_archive import scale_of
from deepmt.measured.records import read_records
from deepmt.settings.corpora import Corpora
from deepmt.settings.spec import Spec
from deepmt.settings.strict_yaml import names_in
from deepmt.study.papers import Paper, Row
from deepmt.study.resolve import resolve
from deepmt.study.scale import load_scale


def archived_seeds(
    rows: Iterable[Row], paper: Paper, root: Path, corpora: Corpora
) -> dict[str, dict[str, int]]:
    """Return the number of archived seeds of each row, by the scales that have any."""
    archive = root / "records"
    systems = {row.id: row.system for row in rows if row.system}
    found: dict[str, dict[str, int]] = {row: {} for row in systems}
    scales = {scale_of(path) for path in visible(archive, "*.jsonl")}
    for name in sorted(scales.intersection(names_in(root / "scales"))):
        scale = load_scale(root / "scales" / f"{name}.yaml", corpora)
        resolved = {row: resolve(paper, system, scale, corpora) for row, system in systems.items()}
        specs = {row: spec for row, spec in resolved.items() if isinstance(spec, Spec)}
        records, _ = read_records(root / "no-results", archive, specs.values(), name)
        seeds = Counter(record.run for record in records)
        for row, spec in specs.items():
            if spec.run in seeds:
                found[row][name] = seeds[spec.run]
    return found
