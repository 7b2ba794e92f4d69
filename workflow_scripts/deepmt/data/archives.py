"""Check archives, find them in a mirror folder, and list those that cannot be fetched."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from deepmt.config.corpora import Archive, Corpora


def mirror_names(archive: Archive, key: str = "") -> list[str]:
    """Return the names that an archive may have in a mirror or in a copy of `data/archives`."""
    return list(filter(None, dict.fromkeys([*archive.mirror_paths, archive.name, key])))


def missing(
    corpora: Corpora, keys: Iterable[str], folder: Path, mirror: Path | None
) -> list[Archive]:
    """Return the archives without a public address that neither folder nor mirror has."""
    return [
        archive
        for key, archive in ((key, corpora.archive(key)) for key in keys)
        if not archive.addresses
        and not (folder / key).is_file()
        and not (mirror and any((mirror / name).is_file() for name in mirror_names(archive, key)))
    ]


def warning(archives: Iterable[Archive]) -> str:
    """Return a message that lists the files a user must provide, and how to obtain each."""
    lines = [
        f"  {' or '.join(mirror_names(archive))}: {archive.obtain or 'no public address'}"
        for archive in archives
    ]
    return "\n".join(
        [
            "These files have no public address. Put them into a folder and give --config"
            " mirror=DIR. Without them the jobs that need them will fail; with --keep-going all"
            " others still run:",
            *lines,
        ]
    )


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
        raise ValueError(f"{file} is damaged: {wrong}; delete it and fetch it again")
