"""Keep which seeds a start of Snakemake is to train, and what they cost, for those who watch it."""

from pathlib import Path

from pydantic.dataclasses import dataclass

from deepmt.settings.strict import CHECKED, Count, NotNegative, Seed
from deepmt.settings.typed_file import TypedFile

REMEDY = "delete it: the next start writes it again"


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class SeedAhead:
    """Hold what a training is to do, and what it costs by estimate."""

    run: str
    seed: Seed
    updates: Count
    hours: NotNegative
    """GPU or core hours."""


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class SeedsAhead(TypedFile):
    """Hold what the last start of a scale was to train."""

    unit: str
    """Of the hours."""
    seeds: tuple[SeedAhead, ...] = ()

    @classmethod
    def in_results(cls, results: Path) -> "SeedsAhead":
        """Return what the last start of a scale was to train, by the folder of its results."""
        path = path_in(results)
        return cls.read(path, REMEDY) if path.exists() else cls(unit="")


def path_in(results: Path) -> Path:
    """Return the file's path below results/<scale>."""
    return results / "ahead.json"
