"""Define what manifest.json says of an encoded corpus."""

from pathlib import Path
from typing import Annotated, Any

from pydantic.dataclasses import dataclass

from deepmt.settings.strict import CHECKED, IF_GIVEN, CountOrNone
from deepmt.settings.typed_file import TypedFile


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class SplitSizes:
    """Count a split; the last two by language."""

    sentences: CountOrNone
    tokens: dict[str, int]
    unknown: dict[str, int]


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class Manifest(TypedFile):
    """Describe the data for the notes of tables and the records of runs."""

    title: str
    note: str
    licence: str
    citation: str
    settings: dict[str, Any]
    vocabulary: dict[str, int]
    """Types by language."""
    splits: dict[str, SplitSizes]
    sha256: dict[str, str]
    """By file, relative to the folder; records copy them."""
    text_sha256: Annotated[dict[str, str] | None, IF_GIVEN] = None
    """Those of settings, counts and text, which records do not copy; before 0.6 there were none."""
    tools: dict[str, str]
    """Versions by package."""

    @classmethod
    def of(cls, folder: Path) -> "Manifest":
        """Read that of an encoded corpus."""
        return cls.read(folder / "manifest.json", remedy_of(folder))


def remedy_of(folder: Path) -> str:
    """Return what to do if a file of an encoded corpus is damaged."""
    return f"delete {folder} and run again, which encodes the text"
