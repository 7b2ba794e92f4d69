"""Find what in the archive is not as it was put there."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from deepmt.base.files import hashes_of, visible
from deepmt.measured.consistency import contradictions
from deepmt.measured.record_archive import FROM_GIT, hashes_listed, scale_of
from deepmt.measured.records import Record
from deepmt.measured.seed_entry import SeedEntry
from deepmt.measured.seed_files import read_seeds
from deepmt.measured.teacher_forced import read_log_probabilities
from deepmt.measured.training_curves import TrainingCurves
from deepmt.settings.strict import unknown


def archive_faults(archive: Path, scales: Iterable[str]) -> Iterator[str]:
    """Yield what is damaged, foreign or not listed, each with its file, and its line if any."""
    scales = list(scales)
    folders: list[tuple[type[SeedEntry], Path]] = [(TrainingCurves, archive / "curves")]
    folders += [(Record, folder) for folder in (archive, *visible(archive, "processors/*"))]
    for kind, folder in folders:
        for scale in sorted({scale_of(path) for path in visible(folder, "*.jsonl")}):
            if scale not in scales:
                yield f"{folder}/{scale}.*jsonl: {unknown('scale', scale, scales)}"
            found, refused = read_seeds(kind, (), folder, None, scale)
            yield from (one.message for one in refused)
            records = [one for one in found if isinstance(one, Record)]
            yield from (f"{one.location}: {why}" for one, why in contradictions(records))
            for record in records if folder == archive else ():
                try:
                    read_log_probabilities(record, archive)
                except ValueError as error:
                    yield f"{record.location}: {error}"
    listed, there = hashes_listed(archive), hashes_of(archive, "**/*.csv")
    for name in sorted(listed.keys() | there):
        if listed.get(name) != there.get(name):
            yield f"{archive / name}: does not have the hash it had; {FROM_GIT}"
