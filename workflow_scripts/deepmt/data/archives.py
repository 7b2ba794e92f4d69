"""Check archives, find them in a mirror folder, and list those that cannot be fetched."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from deepmt.config.corpora import Archive, Corpora
from deepmt.data.members import wrong_content
from deepmt.files import read_json, sha256, write_json


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


def checksum_file(target: Path) -> Path:
    """Return the file beside an archive that holds the checksum found on its first use."""
    return target.with_name(target.name + ".sum.json")


def known_checksum(archive: Archive, target: Path) -> tuple[str, str] | None:
    """Return algorithm and digits of the expected checksum; None before the first use.

    Raises ValueError if the file with the checksum of the first use is damaged.
    """
    recorded = checksum_file(target)
    if archive.checksum or not recorded.is_file():
        return archive.checksum
    return "sha256", str(read_json(recorded, _drop_sum(target))["sha256"])


def mismatch(archive: Archive, file: Path, target: Path) -> str | None:
    """Return why `file` is not the archive that belongs at `target`; None if nothing is wrong."""
    size = file.stat().st_size
    if archive.bytes and size != archive.bytes:
        return f"expected {archive.bytes:,} bytes, found {size:,}"
    known = known_checksum(archive, target)
    if known is None:
        content = wrong_content(file, archive.name)
        return f"expected a whole {archive.name}, found {content}" if content else None
    algorithm, expected = known
    with file.open("rb") as stream:
        found = hashlib.file_digest(stream, algorithm).hexdigest()
    if found == expected:
        return None
    remedy = "" if archive.checksum else f"; to accept the new file, {_drop_sum(target)}"
    return f"expected {algorithm} {expected}, found {found}{remedy}"


def _drop_sum(target: Path) -> str:
    """Return how to accept another file than the first one."""
    return f"run `python workflow_scripts/fetch.py --archive {target.name} --drop-sum`"


def trust_on_first_use(archive: Archive, target: Path) -> None:
    """Record the checksum of an archive if none is published and none was recorded."""
    if known_checksum(archive, target):
        return
    digits = sha256(target)
    write_json(checksum_file(target), {"sha256": digits, "bytes": target.stat().st_size})
    print(
        f"{archive.name}: no checksum is published; from now on the file must have the sha256"
        f" {digits} ({checksum_file(target)})"
    )
