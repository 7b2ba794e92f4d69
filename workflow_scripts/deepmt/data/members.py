"""Read one member of an archive as a stream; nothing is unpacked under a member's name."""

import gzip
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import IO, Any

from deepmt.base.errors import UserError
from deepmt.data.lines import decode_lines

_DAMAGED = (
    EOFError, OSError, tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError,
    RuntimeError,
)  # fmt: skip
"""The last for a zip file that is encrypted, or compressed by a method that is not known."""
_GZIP_MAGIC = b"\x1f\x8b"
_UNPACK: dict[bytes, Callable[[IO[bytes]], Any]] = {
    _GZIP_MAGIC: gzip.open,
    b"\xfd7zXZ\x00": lzma.open,
}
_ZIP_MAGIC = b"PK\x03\x04"
REMEDY = "delete it and fetch it again"


@contextmanager
def open_member(
    archive: Path, member: str | None = None, remedy: str = REMEDY
) -> Iterator[IO[bytes]]:
    """Stream a member of a tar, tar.gz, tar.xz or zip file; without a member, a plain or gz file.

    A member whose name ends in .gz is decompressed too.

    Raises ValueError if the archive is damaged, or has no such regular file that can be read.
    """
    try:
        with _open(archive, member) as stream:
            yield stream
    except _DAMAGED as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of the disk, not of the content
        raise UserError(f"{archive} cannot be read ({error}); {remedy}") from error


def read_member(archive: Path, member: str | None = None, remedy: str = REMEDY) -> Iterator[str]:
    """Yield the lines of what `open_member` opens, under the rules of `decode_lines`."""
    with open_member(archive, member, remedy) as stream:
        yield from decode_lines(stream, f"{archive}:{member}" if member else str(archive))


@contextmanager
def _decompressed(archive: Path) -> Iterator[tuple[bytes, IO[bytes]]]:
    """Yield the first bytes of a file, and its content without gzip or xz."""
    with archive.open("rb") as raw:
        magic = raw.read(64)
        raw.seek(0)
        if not magic:
            raise EOFError("it is empty")
        if re.match(rb"\s*<(!doctype )?html", magic, re.IGNORECASE):
            raise EOFError("it is a web page")
        if archive.suffix == ".gz" and not magic.startswith(_GZIP_MAGIC):
            raise EOFError("it is no gzip file")
        unpack = next((_UNPACK[start] for start in _UNPACK if magic.startswith(start)), None)
        yield magic, unpack(raw) if unpack else raw


@contextmanager
def _open(archive: Path, member: str | None) -> Iterator[IO[bytes]]:
    with _decompressed(archive) as (magic, plain):
        if member is None:
            yield plain
        elif magic.startswith(_ZIP_MAGIC):
            with zipfile.ZipFile(plain) as zipped, _zip_member(zipped, archive, member) as stream:
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
                raise UserError(f"{archive}: member {member} is a link or folder, not a file")
            return stream
    raise _missing(archive, member, names)


def _missing(archive: Path, member: str, names: list[str]) -> UserError:
    near = get_close_matches(member, names, n=3)
    shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    guess = f" did you mean {' or '.join(near)}?" if near else ""
    return UserError(f"{archive} has no member {member};{guess} it holds: {shown}")
