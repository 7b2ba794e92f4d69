"""Read one member of an archive as a stream; nothing is unpacked under a member's name."""

import gzip
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import IO

_DAMAGED = (EOFError, gzip.BadGzipFile, tarfile.TarError, zipfile.BadZipFile, zlib.error)
_GZIP_MAGIC = b"\x1f\x8b"
_ZIP_MAGIC = b"PK\x03\x04"


@contextmanager
def open_member(archive: Path, member: str | None = None) -> Iterator[IO[bytes]]:
    """Stream a member of a tar, tar.gz or zip file, or (without a member) a plain or gz file.

    A member whose name ends in .gz is decompressed too.

    Raises ValueError if the archive is damaged or has no such regular file.
    """
    try:
        with _open(archive, member) as stream:
            yield stream
    except _DAMAGED as error:
        raise ValueError(
            f"{archive} is truncated or damaged ({error}); delete it and fetch it again"
        ) from error


@contextmanager
def _open(archive: Path, member: str | None) -> Iterator[IO[bytes]]:
    with archive.open("rb") as raw:
        magic = raw.read(4)
        raw.seek(0)
        plain = gzip.GzipFile(fileobj=raw) if magic.startswith(_GZIP_MAGIC) else raw
        if member is None:
            yield plain  # type: ignore[misc]
        elif magic == _ZIP_MAGIC:
            with zipfile.ZipFile(raw) as zipped, _zip_member(zipped, archive, member) as stream:
                yield _unpacked(stream, member)
        else:
            with tarfile.open(fileobj=plain, mode="r|") as tape:
                yield _unpacked(_tar_member(tape, archive, member), member)


def _unpacked(stream: IO[bytes], member: str) -> IO[bytes]:
    return gzip.GzipFile(fileobj=stream) if member.endswith(".gz") else stream  # type: ignore[return-value]


def _zip_member(zipped: zipfile.ZipFile, archive: Path, member: str) -> IO[bytes]:
    if member not in zipped.namelist():
        raise _missing(archive, member, zipped.namelist())
    return zipped.open(member)


def _tar_member(tape: tarfile.TarFile, archive: Path, member: str) -> IO[bytes]:
    names = []
    for entry in tape:
        names.append(str(PurePosixPath(entry.name)))  # drops a leading ./
        if names[-1] == member:
            stream = tape.extractfile(entry) if entry.isreg() else None
            if stream is None:
                raise ValueError(f"{archive}: member {member} is a link or folder, not a file")
            return stream
    raise _missing(archive, member, names)


def _missing(archive: Path, member: str, names: list[str]) -> ValueError:
    near = get_close_matches(member, names, n=3)
    shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    guess = f" did you mean {' or '.join(near)}?" if near else ""
    return ValueError(f"{archive} has no member {member};{guess} it holds: {shown}")
