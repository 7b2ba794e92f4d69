"""Describe a file of a checkpoint, whose name holds its hash, so that damage is detected."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.base.files import sha256


@dataclass(frozen=True, order=True)
class SavedFile:
    """Describe one file, e.g. state-00000400-1a2b3c4d.pt: kind, update, start of its SHA-256."""

    update: int
    path: Path

    @property
    def intact(self) -> bool:
        """Check if the file is there, and its content still has the hash in the name."""
        known = self.path.stem.rsplit("-", 1)[1]
        return self.path.is_file() and sha256(self.path).startswith(known)
