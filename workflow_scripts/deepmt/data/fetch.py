"""Fetch an archive from a mirror folder or by HTTP, check it and write it atomically."""

import gzip
import os
import shutil
import zlib
from pathlib import Path
from typing import Any

from deepmt.base.errors import UserError
from deepmt.base.files import naming, sha256, sync_folder
from deepmt.base.printable import printable, say
from deepmt.data.archives import mirror_names, mismatch
from deepmt.data.download import SourceFailedError, download
from deepmt.settings.corpora import Archive


class FetchError(UserError):
    """Raised if no source provides an archive; the message gives the error of each."""


def fetch(archive: Archive, target: Path, mirror: Path | None = None) -> None:
    """Put the archive at `target`, unless it is there: from the mirror, else from its addresses.

    If its checksum is known, the next call continues an interrupted download.

    Raises FetchError, with the error of each source, if none provides the right file.
    """
    failures = []
    if target.is_file():
        wrong = mismatch(archive, target)
        if wrong is None:
            return
        failures.append(f"  {target}: {wrong}")
    target.parent.mkdir(parents=True, exist_ok=True)
    for source in ([mirror] if mirror else []) + list(archive.addresses):
        try:
            if isinstance(source, Path):
                _copy(archive, source, target)
            else:
                _download(archive, source, target)
        except SourceFailedError as failure:
            failures.append(f"  {source}: {failure}")
            say(f"{archive.name}: {source}: {failure}")
        else:
            if not archive.checksum:
                found = f"{archive.name}: no checksum is known; its sha256 is {sha256(target)}"
                print(printable(found))
            return
    raise FetchError(_message(archive, failures))


def _download(archive: Archive, address: str, target: Path) -> None:
    part = target.with_name(target.name + ".part")
    for _ in range(2):
        joined = download(archive, address, part)
        if not (wrong := mismatch(archive, part)):
            os.replace(part, target)
            sync_folder(target.parent)
            return
        part.unlink()
        if not joined:
            break
        # It may have begun with another version of the file.
    raise SourceFailedError(f"wrong file, refused: {wrong}")


def _copy(archive: Archive, mirror: Path, target: Path) -> None:
    """Copy the right file from a mirror, which may have it compressed by gzip."""
    paths = [mirror / name for name in mirror_names(archive, target.name)]
    packed = [path.with_name(f"{path.name}.gz") for path in paths]
    openers: dict[Path, Any] = dict.fromkeys(packed, gzip.open) | dict.fromkeys(paths, open)
    part, refused = target.with_name(target.name + ".part"), []
    for path in filter(Path.is_file, [*paths, *packed]):
        try:
            with naming(part), part.open("wb") as copied, openers[path](path, "rb") as file:
                shutil.copyfileobj(file, copied)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            part.unlink()
            refused.append(f"{path} cannot be read ({error})")
            continue
        if (wrong := mismatch(archive, part)) is None:
            os.replace(part, target)
            sync_folder(target.parent)
            return
        part.unlink()
        refused.append(f"{path}: wrong file, refused: {wrong}")
    none = f"the mirror has none of {', '.join(map(str, paths))}"
    raise SourceFailedError("; ".join(refused) or none)


def _message(archive: Archive, failures: list[str]) -> str:
    address = [] if archive.addresses else ["  it has no public address"]
    obtain = [f"how to obtain it: {archive.obtain}"] if archive.obtain else []
    names = " or ".join(mirror_names(archive))
    mirror = f"or give --config mirror=DIR, a folder that holds it as {names}"
    return "\n".join(
        [f"{archive.name} could not be fetched:", *failures, *address, *obtain, mirror]
    )
