"""Fetching an archive from a mirror folder or by HTTP: resumed, checked, put in place whole."""

import hashlib
import os
import shutil
import sys
import time
from pathlib import Path

import requests
import urllib3

from deepmt.data.corpora import Archive

CHUNK_BYTES = 1 << 20
TIMEOUT_SECONDS = (10, 60)  # to connect, and between two packets
ATTEMPTS = 4
_BROKEN = (requests.RequestException, urllib3.exceptions.HTTPError)


class FetchError(ValueError):
    """An archive could not be had from any place; the message says what happened at each."""


class _PlaceFailedError(Exception):
    """One place did not give the archive; the next one is tried."""


def fetch(
    archive: Archive, target: Path, mirror: Path | None = None, *, pause_seconds: float = 1.0
) -> None:
    """Put the archive at `target`, unless it is there: from the mirror, else by its addresses.

    What an unfinished download received stays in `target`'s name + ".part", and the next call
    goes on from there. `pause_seconds` before a second attempt doubles with each further one.

    Raises FetchError, naming each place and what happened there, if none gives the right file.
    """
    if target.is_file() and _digest(archive, target) == archive.checksum[1]:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    failures = []
    for place in ([mirror] if mirror else []) + list(archive.addresses):
        try:
            if isinstance(place, Path):
                _copy(archive, place, target)
            else:
                _download(archive, place, target, pause_seconds)
            return
        except _PlaceFailedError as failure:
            failures.append(f"  {place}: {failure}")
            print(f"{archive.name}: {place}: {failure}", file=sys.stderr)
    raise FetchError(
        f"{archive.name} could not be fetched:\n"
        + "\n".join(failures if archive.addresses else [*failures, "  it has no public address"])
        + "\ngive mirror=DIR, a folder that holds it as "
        + " or ".join([*archive.mirror_paths, archive.name])
        + f", or put it at {target} by hand"
    )


def _copy(archive: Archive, mirror: Path, target: Path) -> None:
    paths = [mirror / path for path in (*archive.mirror_paths, archive.name)]
    present = [path for path in paths if path.is_file()]
    if not present:
        raise _PlaceFailedError("the mirror has none of " + ", ".join(map(str, paths)))
    copied = target.with_name(target.name + ".copy")
    try:
        for path in present:
            shutil.copyfile(path, copied)
            if _digest(archive, copied) == archive.checksum[1]:
                os.replace(copied, target)
                return
        raise _PlaceFailedError(_wrong_sum(archive, copied))
    finally:
        copied.unlink(missing_ok=True)


def _download(archive: Archive, address: str, target: Path, pause_seconds: float) -> None:
    part = target.with_name(target.name + ".part")
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(pause_seconds * 2 ** (attempt - 1))
        resumed = part.is_file()
        try:
            _receive(archive, address, part)
        except _BROKEN as error:
            reason = f"broken off after {ATTEMPTS} attempts, the last one by: {error}"
            continue
        if _digest(archive, part) == archive.checksum[1]:
            os.replace(part, target)
            return
        reason = _wrong_sum(archive, part)
        part.unlink()
        if not resumed:
            break
    raise _PlaceFailedError(reason)


def _receive(archive: Archive, address: str, part: Path) -> None:
    have = part.stat().st_size if part.is_file() else 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    with requests.get(address, headers=headers, stream=True, timeout=TIMEOUT_SECONDS) as response:
        if response.status_code == requests.codes.requested_range_not_satisfiable:
            return  # nothing is left to receive; the sum decides
        if 400 <= response.status_code < 500:
            raise _PlaceFailedError(f"answered {response.status_code} {response.reason}")
        response.raise_for_status()
        continues = response.headers.get("Content-Range", "").startswith(f"bytes {have}-")
        with part.open("ab" if response.status_code == 206 and continues else "wb") as stream:
            # The bytes as sent: some servers label a .gz file as compressed content.
            for chunk in response.raw.stream(CHUNK_BYTES, decode_content=False):
                stream.write(chunk)
                if stream.tell() > archive.bytes:
                    return  # too long to be right; the sum refuses it
            stream.flush()
            os.fsync(stream.fileno())


def _digest(archive: Archive, path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, archive.checksum[0]).hexdigest()


def _wrong_sum(archive: Archive, path: Path) -> str:
    algorithm, expected = archive.checksum
    return (
        f"wrong file, refused: expected {algorithm} {expected} ({archive.bytes:,} bytes),"
        f" found {_digest(archive, path)} ({path.stat().st_size:,} bytes)"
    )
