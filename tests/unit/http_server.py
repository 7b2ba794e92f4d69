"""A local HTTP server that serves one file, well or badly."""

import gzip
import random
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

CONTENT = random.Random(0).randbytes(200_000)
OTHER = CONTENT[::-1]
CUT = 70_000
ANSWERS: dict[str, dict[str, Any]] = {
    "good": {},
    "wrong": {"body": OTHER},
    "page": {"Content-Type": "text/html; charset=utf-8"},
    "too-long": {"body": CONTENT + OTHER},
    "compressed": {"body": gzip.compress(CONTENT), "Content-Encoding": "gzip"},
    "never-gets-further": {"stop": CUT},
    "without-length": {"Content-Length": None},
}
"""What is sent at a path whenever it is asked for: a body, where it ends, and headers."""
AT_FIRST: dict[str, dict[str, Any]] = {
    "drops": {"stop": CUT},
    "ignores-ranges": {"stop": CUT, "ranges": False},
    "begins-with-another": {"body": OTHER, "stop": CUT},
    "stalls": {"stop": CUT},
    "waits": {"stop": CUT},
}
"""The same of the first answer at a path; later ones are good."""


class Server(ThreadingHTTPServer):
    """Notes the paths and ranges that were asked for; `over` ends whatever stalls."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, str | None]] = []
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


class Handler(BaseHTTPRequestHandler):
    """Answers by the tables above."""

    server: Server

    def do_GET(self) -> None:
        path = self.path.removeprefix("/")
        first = path not in [asked for asked, _ in self.server.asked]
        self.server.asked.append((path, self.headers.get("Range")))
        if path == "missing" or (path == "busy" and first):
            self.send_error(404 if path == "missing" else 503)
        elif path == "moved":
            self.send_response(302)
            self.send_header("Location", "/good")
            self.end_headers()
        else:
            answer = AT_FIRST[path] if path in AT_FIRST and first else ANSWERS.get(path, {})
            self.serve(**answer)
            if first and path in ("stalls", "waits"):
                self.server.over.wait(60)

    def serve(
        self,
        body: bytes = CONTENT,
        *,
        stop: int | None = None,
        ranges: bool = True,
        **headers: str | None,
    ) -> None:
        """Send a body from the byte that is asked for up to `stop`; there the connection ends."""
        start = int(self.headers.get("Range", "bytes=0-")[len("bytes=") : -1]) if ranges else 0
        if start >= len(body):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        for name, value in ({"Content-Length": str(len(body) - start)} | headers).items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[start:stop])

    def handle(self) -> None:
        """A client that is killed or has enough is no matter."""
        try:
            super().handle()
        except ConnectionError:
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""
