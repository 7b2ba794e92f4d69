"""A local HTTP server that serves one file in every way that goes wrong."""

import gzip
import random
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from deepmt.config.corpora import Archive
from deepmt.data.download import RetryPolicy
from deepmt.data.fetch import fetch

CONTENT = random.Random(0).randbytes(200_000)
OTHER = CONTENT[::-1]
GZIPPED = gzip.compress(CONTENT)
PAGE = b"\n<!DOCTYPE html>\n<html><title>Please sign in</title></html>" * 100
CUT = 70_000
HASTE = RetryPolicy(connect_seconds=1, stall_seconds=0.2, attempts=3, pause_seconds=0)
CHUNKED = {"Content-Length": None, "Transfer-Encoding": "chunked"}


ANSWERS: dict[str, dict[str, Any]] = {
    "good": {},
    "wrong": {"body": OTHER},
    "page": {"Content-Type": "text/html; charset=utf-8"},
    "never-gets-further": {"stop": CUT},
    "announces-less": {"Content-Length": "1000", "stop": 1000},
    "announces-more": {"Content-Length": "300000"},
    "announces-a-word": {"Content-Length": "abc"},
    "announces-too-many-digits": {"Content-Length": "9" * 5000},
    "announces-a-flood": {"Content-Length": "999999999"},
    "breaks-off": {"Content-Length": None, "stop": CUT},
    "nothing": {"Content-Length": "0", "stop": 0},
    "no-such-range": {"body": b""},
    "gzipped": {"body": GZIPPED},
    "gzipped-and-cut": {"body": GZIPPED[:-1000]},
    "page-called-gzip": {"body": PAGE, "Content-Type": "application/gzip"},
    "compressed-page": {
        "body": gzip.compress(PAGE),
        "Content-Type": "application/gzip",
        "Content-Encoding": "gzip",
    },
}
"""What is sent at a path whenever it is asked for: a body, where it ends, and headers."""
CUT_AT_FIRST: dict[str, dict[str, Any]] = {
    "drops": {},
    "ignores-ranges": {"ranges": False},
    "sends-another-range": {"shift": -10},
    "announces-nothing": {"Content-Length": None},
}
"""The same of answers that the first time end early."""
REDIRECTS = {
    "moved": "/good",
    "loop": "/loop",
    "moved-to-ftp": "ftp://127.0.0.1/good",
    "moved-to-nowhere": "http://[half",
}
BUSY_AT_FIRST = {"busy": "7", "busy-until-2200": "Sat, 01 Mar 2200 00:00:00 GMT"}
"""When to try again."""


class Server(ThreadingHTTPServer):
    """Notes what was asked and how many bytes it sent; `over` ends whatever stalls."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, str | None]] = []
        self.encodings: set[str | None] = set()
        self.sent: Counter[str] = Counter()
        self.over = threading.Event()

    def at(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{path}"


@pytest.fixture
def server() -> Iterator[Server]:
    """A server of its own for each test."""
    with Server() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.over.set()
        server.shutdown()


def fetched(wanted: Archive, folder: Path, policy: RetryPolicy = HASTE) -> bytes:
    """Fetch an archive as `a` in a folder; return what is there then."""
    fetch(wanted, folder / "a", policy=policy)
    return (folder / "a").read_bytes()


class Handler(BaseHTTPRequestHandler):
    """A path is in one of the tables, or a method with underscores for its dashes."""

    server: Server

    def do_GET(self) -> None:
        self.path = self.path.removeprefix("/")
        self.server.asked.append((self.path, self.headers.get("Range")))
        self.server.encodings.add(self.headers.get("Accept-Encoding"))
        self.first = sum(path == self.path for path, _ in self.server.asked) == 1
        if self.path in ANSWERS:
            self.serve(**ANSWERS[self.path])
        elif self.path in CUT_AT_FIRST:
            self.serve(**CUT_AT_FIRST[self.path], stop=CUT if self.first else None)
        elif self.path in REDIRECTS:
            self.redirect(REDIRECTS[self.path])
        elif self.path in BUSY_AT_FIRST:
            self.refuse_at_first(BUSY_AT_FIRST[self.path])
        else:
            getattr(self, self.path.replace("-", "_"))()

    def missing(self) -> None:
        self.send_error(404)

    def crumbs(self) -> None:
        self.serve(stop=self.start() + 30_000)

    def stalls(self) -> None:
        self.serve(stop=CUT if self.first else None)
        self.server.over.wait(5 if self.first else 0)

    def trickles(self) -> None:
        self.serve(stop=1)
        while not self.server.over.wait(0.03):
            self.wfile.write(b".")

    def waits(self) -> None:
        self.serve(stop=None if self.server.over.is_set() else CUT)
        self.server.over.wait(20)

    def sends_an_unreadable_range(self) -> None:
        if self.first:
            self.serve(stop=CUT)
            return
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {CUT}-{'9' * 5000}/{'9' * 5000}")
        self.end_headers()

    def endless(self) -> None:
        self.serve(**{"Content-Length": None})
        while not self.server.over.is_set():
            self.wfile.write(CONTENT)

    def floods(self) -> None:
        self.serve(stop=0, **CHUNKED)
        while not self.server.over.is_set():
            self.wfile.write(b"%x\r\n%b\r\n" % (len(CONTENT), CONTENT))

    def gzipped_in_chunks(self) -> None:
        self.serve(stop=0, **CHUNKED)
        self.wfile.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(GZIPPED), GZIPPED))

    def tells_its_version(self) -> None:
        same = self.headers.get("If-Range") == '"1"'
        self.serve(ETag='"1"', stop=CUT if self.first else None, ranges=same)

    def changes(self) -> None:
        if self.first:
            self.serve(OTHER, ETag='"1"', stop=CUT)
        else:
            same = self.headers.get("If-Range") == '"2"'
            self.serve(ETag='"2"', ranges=same)

    def changes_unasked(self) -> None:
        body, version = (OTHER, '"1"') if self.first else (CONTENT, '"2"')
        self.serve(body, ETag=version, stop=CUT if self.first else None)

    def start(self) -> int:
        """The first byte that is asked for."""
        return int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))

    def serve(
        self,
        body: bytes = CONTENT,
        *,
        stop: int | None = None,
        ranges: bool = True,
        shift: int = 0,
        **headers: str | None,
    ) -> None:
        """Send a body from the byte that is asked for up to `stop`; there the connection ends."""
        start = self.start() + shift if self.start() and ranges else 0
        if start >= len(body):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(body)}")
            self.end_headers()
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        for name, value in ({"Content-Length": str(len(body) - start)} | headers).items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        # Counted before they are sent: a client that has them may look at once.
        self.server.sent[self.path] += len(body[start:stop])
        self.wfile.write(body[start:stop])

    def redirect(self, place: str) -> None:
        self.send_response(302)
        self.send_header("Location", place)
        self.end_headers()

    def refuse_at_first(self, retry_after: str) -> None:
        if not self.first:
            self.serve()
            return
        self.send_response(503)
        self.send_header("Retry-After", retry_after)
        self.end_headers()

    def handle(self) -> None:
        """A client that is killed or has enough is no matter."""
        try:
            super().handle()
        except ConnectionError:
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""
