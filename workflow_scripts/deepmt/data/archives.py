"""Check archives, and name them as a mirror folder does."""

import hashlib
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.settings.corpora import Archive


def mirror_names(archive: Archive, key: str = "") -> list[str]:
    """Return the names that an archive may have in a mirror or in a copy of `data/archives`."""
    return list(filter(None, dict.fromkeys([*archive.mirror_paths, archive.name, key])))


def mismatch(archive: Archive, file: Path) -> str | None:
    """Return why a file is not the archive; None if nothing is wrong, as far as is known."""
    size = file.stat().st_size
    if archive.bytes and size != archive.bytes:
        return f"expected {archive.bytes:,} bytes, found {size:,}"
    if archive.checksum is None:
        return None if size else "it is empty"
    algorithm, expected = archive.checksum
    with file.open("rb") as stream:
        found = hashlib.file_digest(stream, algorithm).hexdigest()
    return None if found == expected else f"expected {algorithm} {expected}, found {found}"


def check(archive: Archive, file: Path) -> None:
    """Raise ValueError if a file that is about to be read is not the archive."""
    if wrong := mismatch(archive, file):
        raise UserError(f"{file} is damaged: {wrong}; delete it and fetch it again")
