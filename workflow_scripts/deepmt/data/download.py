"""Download a file by HTTP: with retries, and resumed only if its checksum is known."""

import os
import time
from pathlib import Path

import requests
import urllib3
from requests.adapters import HTTPAdapter

from deepmt.base.files import if_supported, naming
from deepmt.settings.corpora import Archive

CHUNK_BYTES = 1 << 20
BUSY = (408, 425, 429, 500, 502, 503, 504)
"""Statuses after which the server is asked again."""


TIMEOUT = (10.0, 60.0)
"""Seconds to connect, and longest wait for the next bytes."""
RETRIES = 4
"""Retries in a row that may receive nothing."""
PAUSE = 1.0
"""Seconds before the first of these; doubled before each further one."""


class SourceFailedError(Exception):
    """Raised if one source does not provide the archive; the next one is tried."""


def download(archive: Archive, address: str, part: Path) -> bool:
    """Receive a file as `part`, and continue one whose checksum can tell that both parts fit.

    Returns whether it was joined from several responses.

    Raises SourceFailedError if the server refuses, sends something else, or breaks off again and
    again; the bytes received stay.
    """
    busy = urllib3.Retry(
        RETRIES,
        status_forcelist=BUSY,
        backoff_factor=PAUSE,
        respect_retry_after_header=False,
    )
    with requests.Session() as session:
        for scheme in ("http://", "https://"):
            session.mount(scheme, HTTPAdapter(max_retries=busy))
        failed = 0
        while True:
            begun = _size(part) if archive.checksum else 0
            try:
                return _receive(session, archive, address, part, begun)
            except (requests.RequestException, ValueError) as error:
                raise SourceFailedError(str(error)) from error
            except urllib3.exceptions.HTTPError as error:
                failed = 1 if archive.checksum and _size(part) > begun else failed + 1
                if failed > RETRIES:
                    raise SourceFailedError(f"broke off {failed} times; last: {error}") from error
                time.sleep(PAUSE * 2 ** (failed - 1))


def _receive(
    session: requests.Session, archive: Archive, address: str, part: Path, begun: int
) -> bool:
    """Receive the rest of a file, or all of it; return whether it was the rest."""
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={begun}-"} if begun else {})
    with session.get(address, headers=headers, stream=True, timeout=TIMEOUT) as response:
        if begun and response.status_code == 416:
            return True  # nothing is left
        response.raise_for_status()
        _check(response, archive)
        resumed = response.headers.get("Content-Range", "").startswith(f"bytes {begun}-")
        with naming(part), part.open("ab" if resumed else "wb") as stream:
            # The bytes as sent: some servers label a .gz file as compressed content.
            while chunk := response.raw.read1(CHUNK_BYTES, decode_content=False):
                stream.write(chunk)
                stream.flush()  # so that a kill loses nothing
                if archive.bytes and stream.tell() > archive.bytes:
                    raise SourceFailedError(f"sends more than {archive.bytes:,} bytes")
            with if_supported():
                os.fsync(stream.fileno())
    return resumed


def _check(response: requests.Response, archive: Archive) -> None:
    """Refuse what is not the file itself, or would not show if it were cut."""
    headers = response.headers
    if "text/html" in headers.get("Content-Type", ""):
        raise SourceFailedError("answered with a web page instead of the file")
    encoding = headers.get("Content-Encoding", "identity")
    if encoding != "identity" and not archive.name.endswith("gz"):
        raise SourceFailedError(f"sends the file in the encoding {encoding}")
    ends = "Content-Length" in headers or "chunked" in headers.get("Transfer-Encoding", "")
    if not (ends or archive.bytes or archive.checksum):
        raise SourceFailedError("does not say how long the file is, and no checksum is known")


def _size(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0
