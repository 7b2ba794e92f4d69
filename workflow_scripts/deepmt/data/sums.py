"""What an archive must be: its published sum, or the one that was found on its first use."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import IO

from deepmt.config.corpora import Archive
from deepmt.files import replacing, sha256, write_json

CHUNK_BYTES = 1 << 20


class WrongFileError(ValueError):
    """A file is not the archive that it should be."""


def sum_file(target: Path) -> Path:
    """Where the sum found on first use stands, beside the archive."""
    return target.with_name(target.name + ".sum.json")


def known_sum(archive: Archive, target: Path) -> tuple[str, str] | None:
    """Algorithm and digits that the archive at `target` must have; None before its first use."""
    recorded = sum_file(target)
    if archive.checksum or not recorded.is_file():
        return archive.checksum
    return "sha256", json.loads(recorded.read_text())["sha256"]


def fault(archive: Archive, file: Path, target: Path) -> str | None:
    """Why `file` is not the archive that belongs at `target`; None if nothing speaks against it."""
    size = file.stat().st_size
    if archive.bytes and size != archive.bytes:
        return f"expected {archive.bytes:,} bytes, found {size:,}"
    known = known_sum(archive, target)
    if known is None:
        return None
    algorithm, expected = known
    with file.open("rb") as stream:
        found = hashlib.file_digest(stream, algorithm).hexdigest()
    if found == expected:
        return None
    way_out = "" if archive.checksum else f"; to trust the new one, delete {sum_file(target)}"
    return f"expected {algorithm} {expected}, found {found}{way_out}"


def put(archive: Archive, stream: IO[bytes], target: Path) -> None:
    """Copy an archive to its place, whole and checked.

    Raises WrongFileError, and then leaves what was there.
    """
    with replacing(target) as copied:
        with copied.open("wb") as new:
            shutil.copyfileobj(stream, new, CHUNK_BYTES)
        if wrong := fault(archive, copied, target):
            raise WrongFileError(f"wrong file, refused: {wrong}")
    trust_on_first_use(archive, target)


def trust_on_first_use(archive: Archive, target: Path) -> None:
    """Record the sum of the archive at `target` if none is published and none was recorded."""
    if known_sum(archive, target):
        return
    digits = sha256(target)
    write_json(sum_file(target), {"sha256": digits, "bytes": target.stat().st_size})
    print(
        f"{archive.name}: no sum is published; this one has sha256 {digits}"
        f" and is held to that from now on ({sum_file(target)})"
    )
