"""Define what every entry about a seed says: which it is, and where it was read."""

from pathlib import Path
from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from deepmt.settings.seed_folder import SeedFolder
from deepmt.settings.strict import CHECKED, CountOrNone


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class SeedEntry:
    """Hold the entry of a file about one seed of a run."""

    run: str
    spec_sha256: str
    seed: CountOrNone
    scale: str
    location: Annotated[str, Field(exclude=True)] = ""
    """File and line that it was read from; not a key of the file."""
    archived: Annotated[bool, Field(exclude=True)] = False
    """True if it was read from the archive in git."""

    @property
    def folder(self) -> Path:
        """Return the folder of its file: that of the seed, if it was trained here."""
        return Path(self.location.rpartition(":")[0]).parent

    @property
    def files(self) -> SeedFolder:
        """Name the files in this folder."""
        return SeedFolder(self.folder)
