"""What an archive must be, where a mirror folder may hold it, and which ones nobody can fetch."""

import hashlib
import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from deepmt.config.corpora import Archive, Corpora
from deepmt.files import replacing, sha256, write_json

CHUNK_BYTES = 1 << 20


class WrongFileError(ValueError):
    """A file is not the archive that it should be."""


def mirror_names(archive: Archive, key: str = "") -> list[str]:
    """Return the names that an archive may have in a mirror, a copy of `data/archives` too."""
    return list(filter(None, dict.fromkeys([*archive.mirror_paths, archive.name, key])))


def absent(
    corpora: Corpora, keys: Iterable[str], folder: Path, mirror: Path | None
) -> list[Archive]:
    """Return those archives that have no public address and are neither in folder nor mirror."""
    return [
        archive
        for key, archive in ((key, corpora.archive(key)) for key in keys)
        if not archive.addresses
        and not (folder / key).is_file()
        and not (mirror and any((mirror / name).is_file() for name in mirror_names(archive, key)))
    ]


def warning(archives: Iterable[Archive]) -> str:
    """Say which files the user has to provide, and how to obtain each."""
    lines = [
        f"  {' or '.join(mirror_names(archive))}: {archive.obtain or 'no public address'}"
        for archive in archives
    ]
    return "\n".join(
        [
            "Without these files of your own, which --config mirror=DIR may hold as DIR/<name>, the"
            " jobs that need them will fail; with --keep-going all others still run:",
            *lines,
        ]
    )


def sum_file(target: Path) -> Path:
    """Return the file beside an archive that holds the checksum found on its first use."""
    return target.with_name(target.name + ".sum.json")


def known_sum(archive: Archive, target: Path) -> tuple[str, str] | None:
    """Return algorithm and digits that the archive must have; None before its first use."""
    recorded = sum_file(target)
    if archive.checksum or not recorded.is_file():
        return archive.checksum
    return "sha256", json.loads(recorded.read_text())["sha256"]


def fault(archive: Archive, file: Path, target: Path) -> str | None:
    """Say why `file` is not the archive that belongs at `target`; None if it may be."""
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
    remedy = "" if archive.checksum else f"; to trust the new one, delete {sum_file(target)}"
    return f"expected {algorithm} {expected}, found {found}{remedy}"


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
    """Record the checksum of an archive if none is published and none was recorded."""
    if known_sum(archive, target):
        return
    digits = sha256(target)
    write_json(sum_file(target), {"sha256": digits, "bytes": target.stat().st_size})
    print(
        f"{archive.name}: no sum is published; this one has sha256 {digits}"
        f" and is held to that from now on ({sum_file(target)})"
    )
