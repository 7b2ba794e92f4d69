"""A zip that lists the size and SHA-256 of every file in it, written once and checked when read."""

import hashlib
import json
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.parse import unquote

from deepmt.files import replacing

METADATA = "ro-crate-metadata.json"
BLOCK = 1 << 20
LARGEST_METADATA = 64 << 20
"""Bytes: some hundred thousand files."""
LARGEST_RATIO = 100
"""Times that an archive may grow; our text shrinks to a tenth."""
NO_TIME = (1980, 1, 1, 0, 0, 0)
"""Of every entry: the same files make the same archive."""
INCOMPRESSIBLE = (".safetensors", ".npy")


@dataclass(frozen=True)
class Sum:
    """What a file must be."""

    size: int
    sha256: str


def write_archive(
    path: Path,
    files: Mapping[str, Path | bytes],
    describe: Callable[[Mapping[str, Sum]], str],
) -> int:
    """Write the files by name and then what `describe` says of them; returns the bytes in them."""
    with replacing(path) as new, zipfile.ZipFile(new, "w") as archive:
        sums = {name: _add(archive, name, files[name]) for name in sorted(files)}
        _add(archive, METADATA, describe(sums).encode())
    return sum(found.size for found in sums.values())


def _add(archive: zipfile.ZipFile, name: str, source: Path | bytes) -> Sum:
    entry = zipfile.ZipInfo(name, NO_TIME)
    entry.external_attr = (stat.S_IFREG | 0o644) << 16
    raw = name.endswith(INCOMPRESSIBLE)
    entry.compress_type = zipfile.ZIP_STORED if raw else zipfile.ZIP_DEFLATED
    stream = BytesIO(source) if isinstance(source, bytes) else source.open("rb")
    with stream, archive.open(entry, "w", force_zip64=True) as target:
        return _copy(stream, target)


def _copy(stream: IO[bytes], target: IO[bytes]) -> Sum:
    digest, size = hashlib.sha256(), 0
    while block := stream.read(BLOCK):
        digest.update(block)
        size += len(block)
        target.write(block)
    return Sum(size, digest.hexdigest())


def extract(path: Path, folder: Path) -> tuple[int, int]:
    """Write every file of an archive below `folder`, each checked; returns files and bytes.

    Raises:
        ValueError: it is no such archive, is cut off, would write elsewhere or too much, or files
            differ from their list, are missing or are not on it: every one is named.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            entries = _trusted(path, archive)
            listed = _listed(path, archive, entries)
            problems = _compare(entries, listed)
            for name in sorted(entries.keys() & listed.keys()):
                problems += _extract(archive, entries[name], folder / name, listed[name])
    except (zipfile.BadZipFile, EOFError, struct.error, NotImplementedError) as error:
        raise ValueError(f"{path} is cut off, or no archive ({error}): copy it again") from error
    if problems:
        raise ValueError("\n".join([f"{path} is not as it was made:", *sorted(problems)]))
    return len(listed), sum(found.size for found in listed.values())


def _trusted(path: Path, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Its files by name; raises ValueError where one is no plain file of a plain name."""
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    for entry in entries:
        if why := _mistrust(entry):
            raise ValueError(f"{path}: {entry.filename!r} {why}; nothing of it was opened")
    found = {entry.filename: entry for entry in entries}
    if len(found) < len(entries):
        raise ValueError(f"{path} has two files of one name; nothing of it was opened")
    unpacked, packed = sum(entry.file_size for entry in entries), path.stat().st_size
    if unpacked > LARGEST_RATIO * packed:
        raise ValueError(
            f"{path} would grow from {packed:,} to {unpacked:,} bytes, more than"
            f" {LARGEST_RATIO} times: it is not trusted, and nothing of it was opened"
        )
    return found


def _mistrust(entry: zipfile.ZipInfo) -> str:
    """What is wrong with an entry, if anything is."""
    name, mode = entry.filename, entry.external_attr >> 16
    place = PurePosixPath(name)
    if place.is_absolute() or ".." in place.parts or str(place) != name or set(name) & set("\\:\0"):
        return "would lie outside of the folder"
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "is a link or a device, not a file"
    return "is encrypted" if entry.flag_bits & 1 else ""


def _listed(
    path: Path, archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo]
) -> dict[str, Sum]:
    """What the metadata says of every file."""
    if METADATA not in entries or entries[METADATA].file_size > LARGEST_METADATA:
        raise ValueError(f"{path} has no {METADATA}, or one too large: it is no crate of ours")
    try:
        files = [
            entity
            for entity in json.loads(archive.read(METADATA))["@graph"]
            if "File" in entity["@type"]
        ]
        return {
            unquote(file["@id"]): Sum(int(file["contentSize"]), str(file["sha256"]))
            for file in files
        }
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(
            f"{path}: {METADATA} does not give a size and a sha256 for every file ({error!r})"
        ) from error


def _compare(entries: Mapping[str, zipfile.ZipInfo], listed: Mapping[str, Sum]) -> list[str]:
    missing = [f"missing: {name}" for name in listed.keys() - entries.keys()]
    return missing + [f"not listed: {name}" for name in entries.keys() - listed.keys() - {METADATA}]


def _extract(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, listed: Sum
) -> list[str]:
    """Write one file; returns what is wrong with it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with archive.open(entry) as stream, target.open("wb") as output:
            found = _copy(stream, output)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        return [f"damaged: {entry.filename} ({error})"]
    if found == listed:
        return []
    return [
        f"differs: {entry.filename} has {found.size:,} bytes with sha256 {found.sha256},"
        f" listed are {listed.size:,} with {listed.sha256}"
    ]
