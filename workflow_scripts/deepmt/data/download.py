"""Download a file by HTTP: resume where it broke off, but never join two versions."""

import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import requests
import urllib3

from deepmt.config.corpora import Archive
from deepmt.data.archives import known_checksum, mismatch
from deepmt.files import naming, read_json, sync_folder, write_json

CHUNK_BYTES = 1 << 20
STALL_BYTES = 1 << 14
REDIRECTS = 10
_TRANSIENT = (requests.RequestException, urllib3.exceptions.HTTPError)
_PERMANENT = (
    requests.TooManyRedirects,
    requests.exceptions.InvalidSchema,
    requests.exceptions.InvalidURL,
)


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """Configure timeouts and retries of a download."""

    connect_seconds: float = 10
    stall_seconds: float = 60
    """Longest wait for the next byte, and for the next STALL_BYTES."""
    attempts: int = 4
    """Attempts in a row that may receive fewer than STALL_BYTES."""
    pause_seconds: float = 1
    """Pause after the first of these; doubled after each further one."""
    longest_pause_seconds: float = 300
    """A server that asks for a longer pause is not tried again."""
    most_bytes: int = 8 << 30
    """Largest file to accept if its size is unknown; the largest archive that is known has 3 GB."""


class SourceFailedError(Exception):
    """Raised if one source does not provide the archive; the next one is tried."""


class _RetryableError(Exception):
    """Raised if another attempt may succeed, after the pause that the server asked for."""

    def __init__(self, reason: object, pause_seconds: float = 0.0) -> None:
        super().__init__(reason)
        self.pause_seconds = pause_seconds


class HttpDownload:
    """Download an archive from an address.

    `<target>.part` holds the bytes received so far; `<target>.part.json` names their origin.
    """

    def __init__(self, archive: Archive, address: str, target: Path, policy: RetryPolicy) -> None:
        self.archive = archive
        self.address = address
        self.target = target
        self.policy = policy
        self.has_known_checksum = known_checksum(archive, target) is not None
        self.most_bytes = archive.bytes or policy.most_bytes
        self.part = target.with_name(target.name + ".part")
        self.origin = target.with_name(target.name + ".part.json")

    def complete(self) -> None:
        """Download the whole archive and check its size and checksum.

        Raises SourceFailedError; the bytes received stay, unless they are known to be wrong.
        """
        for last_chance in (False, True):
            joined = self._receive_all()
            wrong = mismatch(self.archive, self.part, self.target)
            if wrong is None:
                os.replace(self.part, self.target)
                self.origin.unlink(missing_ok=True)
                sync_folder(self.target.parent)
                return
            self._discard()
            # A resumed file may have begun with another version: download it anew.
            if last_chance or not joined:
                raise SourceFailedError(f"wrong file, refused: {wrong}")

    @property
    def _size(self) -> int:
        """Return the number of bytes received so far."""
        return self.part.stat().st_size if self.part.is_file() else 0

    @property
    def _version(self) -> str:
        """Return the version of the partial file; empty if unknown or from another address."""
        try:
            origin = read_json(self.origin)
            return str(origin["version"]) if origin["address"] == self.address else ""
        except (OSError, ValueError):
            return ""

    def _discard(self) -> None:
        self.part.unlink(missing_ok=True)
        self.origin.unlink(missing_ok=True)

    def _receive_all(self) -> bool:
        """Receive the whole file; return whether it was joined from several responses."""
        stalled, reached = 0, self._size
        while True:
            try:
                return self._receive()
            except _RetryableError as broken:
                stalled = 0 if self._size >= reached + STALL_BYTES else stalled + 1
                reached = max(reached, self._size)
                if stalled == self.policy.attempts:
                    raise SourceFailedError(
                        f"{stalled} attempts in a row received almost nothing; last error: {broken}"
                    ) from broken
                doubled = self.policy.pause_seconds * 2 ** max(0, stalled - 1)
                time.sleep(max(doubled, broken.pause_seconds))

    def _receive(self) -> bool:
        timeout = (self.policy.connect_seconds, self.policy.stall_seconds)
        try:
            with requests.Session() as session:
                session.max_redirects = REDIRECTS
                with session.get(
                    self.address, headers=self._headers(), stream=True, timeout=timeout
                ) as response:
                    self._check_status(response)
                    whole = response.status_code == 200
                    if whole:
                        self._begin(response)
                    if whole or not self._is_complete(response):
                        self._write(response)
                    return not whole
        except _PERMANENT as error:
            raise SourceFailedError(str(error)) from error
        except _TRANSIENT as error:
            raise _RetryableError(error.args[0] if error.args else error) from error
        except ValueError as error:
            raise SourceFailedError(f"its answer cannot be read: {error}") from error

    def _headers(self) -> dict[str, str]:
        """Request only the rest if the checksum or the server can verify that the parts fit."""
        headers = {"Accept-Encoding": "identity"}
        if self._size and (self._version or self.has_known_checksum):
            headers["Range"] = f"bytes={self._size}-"
            # Servers behind one address may name a version differently: prefer the checksum.
            if not self.has_known_checksum:
                headers["If-Range"] = self._version
        return headers

    def _check_status(self, response: requests.Response) -> None:
        answered = f"answered {response.status_code} {response.reason}"
        pause = urllib3.Retry().get_retry_after(response.raw) or 0.0
        if pause > self.policy.longest_pause_seconds:
            raise SourceFailedError(f"{answered} and asks to retry in {pause:,.0f} s")
        if response.status_code in (408, 425, 429) or response.status_code >= 500:
            raise _RetryableError(answered, pause)
        if response.status_code not in ((200, 206, 416) if self._size else (200,)):
            raise SourceFailedError(answered)
        if response.status_code == 200 and "text/html" in response.headers.get("Content-Type", ""):
            raise SourceFailedError("answered with a web page instead of the file")

    def _begin(self, response: requests.Response) -> None:
        announced = response.headers.get("Content-Length")
        if announced and not re.fullmatch(r"[0-9]{1,18}", announced):
            raise SourceFailedError(f"answered with the length {announced[:40]!r}")
        ends = announced or "chunked" in response.headers.get("Transfer-Encoding", "")
        if not (ends or self.archive.bytes or self.has_known_checksum):
            raise SourceFailedError("does not say how long the file is, and no checksum is known")
        self._check_length(int(announced) if announced else None)
        self._discard()
        write_json(self.origin, {"address": self.address, "version": _version(response)})

    def _is_complete(self, response: requests.Response) -> bool:
        """Check if nothing is left to receive; raise if the rest does not fit the part."""
        start, total = _content_range(response)
        if response.status_code == 416:
            if self._size not in (total, self.archive.bytes):
                raise self._restart(f"received {self._size:,} bytes, more than the file has")
            return True
        self._check_length(total)
        if start != self._size:
            raise self._restart("the server sent another range than requested")
        if not self.has_known_checksum and _version(response) not in ("", self._version):
            raise self._restart("the file has changed since its first part was received")
        return False

    def _check_length(self, announced: int | None) -> None:
        if announced is None:
            return
        if announced > self.most_bytes or (self.archive.bytes and announced < self.most_bytes):
            raise SourceFailedError(
                f"wrong file, refused: {self._expected}, announced {announced:,}"
            )

    @property
    def _expected(self) -> str:
        return f"expected {'' if self.archive.bytes else 'at most '}{self.most_bytes:,} bytes"

    def _restart(self, reason: str) -> _RetryableError:
        self._discard()
        return _RetryableError(reason)

    def _write(self, response: requests.Response) -> None:
        expected = self.archive.bytes
        with naming(self.part), self.part.open("ab") as stream:
            for chunk in self._chunks(response):
                stream.write(chunk)
                stream.flush()  # so that a kill loses nothing
                if stream.tell() > self.most_bytes:
                    break
            os.fsync(stream.fileno())
        if expected and self._size < expected:
            raise _RetryableError(f"ended after {self._size:,} of {expected:,} bytes")
        if self._size > self.most_bytes:
            self._discard()
            raise SourceFailedError(f"wrong file, refused: {self._expected}, got more")

    def _chunks(self, response: requests.Response) -> Iterator[bytes]:
        since, received = time.monotonic(), 0
        # Read the bytes as sent: some servers label a .gz file as compressed content.
        while chunk := response.raw.read1(CHUNK_BYTES, decode_content=False):
            yield chunk
            received += len(chunk)
            seconds = time.monotonic() - since
            if received >= STALL_BYTES:
                since, received = time.monotonic(), 0
            elif seconds > self.policy.stall_seconds:
                raise _RetryableError(f"received only {received:,} bytes in {seconds:,.0f} s")


def _version(response: requests.Response) -> str:
    """Return a strong ETag, or else the time of the last modification."""
    etag = response.headers.get("ETag", "")
    return etag if etag.startswith('"') else response.headers.get("Last-Modified", "")


def _content_range(response: requests.Response) -> tuple[int | None, int | None]:
    """Return first byte and total length; None for each that the server does not give."""
    header = response.headers.get("Content-Range", "")
    match = re.fullmatch(r"bytes (?:(\d+)-\d+|\*)/(?:(\d+)|\*)", header)
    start, total = match.groups() if match else (None, None)
    return int(start) if start else None, int(total) if total else None
