"""A local HTTP server that serves one file in every way that goes wrong."""

import gzip
import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CONTENT = random.Random(0).randbytes(200_000)
OTHER = CONTENT[::-1]
GZIPPED = gzip.compress(CONTENT)
PAGE = b"\n<!DOCTYPE html>\n<html><title>Please sign in</title></html>" * 100
CUT = 70_000


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


@contextmanager
def running_server() -> Iterator[Server]:
    """A server of its own for each test."""
    with Server() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.over.set()
        server.shutdown()


class Handler(BaseHTTPRequestHandler):
    """Each path is a method, its dashes underscores."""

    server: Server

    def do_GET(self) -> None:
        self.path = self.path.removeprefix("/")
        self.server.asked.append((self.path, self.headers.get("Range")))
        self.server.encodings.add(self.headers.get("Accept-Encoding"))
        self.first = sum(path == self.path for path, _ in self.server.asked) == 1
        getattr(self, self.path.replace("-", "_"))()

    def good(self) -> None:
        self.serve(CONTENT)

    def wrong(self) -> None:
        self.serve(OTHER)

    def missing(self) -> None:
        self.send_error(404)

    def page(self) -> None:
        self.serve(CONTENT, {"Content-Type": "text/html; charset=utf-8"})

    def drops(self) -> None:
        self.serve(CONTENT, stop=CUT if self.first else None)

    def never_gets_further(self) -> None:
        self.serve(CONTENT, stop=CUT)

    def crumbs(self) -> None:
        self.serve(CONTENT, stop=self.start() + 30_000)

    def ignores_ranges(self) -> None:
        self.serve(CONTENT, stop=CUT if self.first else None, ranges=False)

    def sends_another_range(self) -> None:
        self.serve(CONTENT, stop=CUT if self.first else None, shift=-10)

    def stalls(self) -> None:
        self.serve(CONTENT, stop=CUT if self.first else None)
        self.server.over.wait(5 if self.first else 0)

    def trickles(self) -> None:
        self.serve(CONTENT, stop=1)
        while not self.server.over.wait(0.03):
            self.wfile.write(b".")

    def waits(self) -> None:
        self.serve(CONTENT, stop=None if self.server.over.is_set() else CUT)
        self.server.over.wait(20)

    def moved(self) -> None:
        self.redirect("/good")

    def loop(self) -> None:
        self.redirect("/loop")

    def moved_to_ftp(self) -> None:
        self.redirect("ftp://127.0.0.1/good")

    def busy(self) -> None:
        self.refuse_at_first("7")

    def busy_until_2200(self) -> None:
        self.refuse_at_first("Sat, 01 Mar 2200 00:00:00 GMT")

    def announces_less(self) -> None:
        self.serve(CONTENT, {"Content-Length": "1000"}, stop=1000)

    def announces_more(self) -> None:
        self.serve(CONTENT, {"Content-Length": "300000"})

    def announces_nothing(self) -> None:
        self.serve(CONTENT, {"Content-Length": None}, stop=CUT if self.first else None)

    def announces_a_word(self) -> None:
        self.serve(CONTENT, {"Content-Length": "abc"})

    def announces_too_many_digits(self) -> None:
        self.serve(CONTENT, {"Content-Length": "9" * 5000})

    def sends_an_unreadable_range(self) -> None:
        if self.first:
            self.serve(CONTENT, stop=CUT)
            return
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {CUT}-{'9' * 5000}/{'9' * 5000}")
        self.end_headers()

    def moved_to_nowhere(self) -> None:
        self.redirect("http://[half")

    def gzipped(self) -> None:
        self.serve(GZIPPED)

    def gzipped_and_cut(self) -> None:
        self.serve(GZIPPED[:-1000])

    def page_called_gzip(self) -> None:
        self.serve(PAGE, {"Content-Type": "application/gzip"})

    def compressed_page(self) -> None:
        labels = {"Content-Type": "application/gzip", "Content-Encoding": "gzip"}
        self.serve(gzip.compress(PAGE), labels)

    def breaks_off(self) -> None:
        self.serve(CONTENT, {"Content-Length": None}, stop=CUT)

    def nothing(self) -> None:
        self.serve(CONTENT, {"Content-Length": "0"}, stop=0)

    def no_such_range(self) -> None:
        self.serve(b"")

    def endless(self) -> None:
        self.serve(CONTENT, {"Content-Length": None})
        while not self.server.over.is_set():
            self.wfile.write(CONTENT)

    def floods(self) -> None:
        self.serve(CONTENT, {"Content-Length": None, "Transfer-Encoding": "chunked"}, stop=0)
        while not self.server.over.is_set():
            self.wfile.write(b"%x\r\n%b\r\n" % (len(CONTENT), CONTENT))

    def gzipped_in_chunks(self) -> None:
        self.serve(CONTENT, {"Content-Length": None, "Transfer-Encoding": "chunked"}, stop=0)
        self.wfile.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(GZIPPED), GZIPPED))

    def announces_a_flood(self) -> None:
        self.serve(CONTENT, {"Content-Length": "999999999"})

    def tells_its_version(self) -> None:
        same = self.headers.get("If-Range") == '"1"'
        self.serve(CONTENT, {"ETag": '"1"'}, stop=CUT if self.first else None, ranges=same)

    def changes(self) -> None:
        if self.first:
            self.serve(OTHER, {"ETag": '"1"'}, stop=CUT)
        else:
            same = self.headers.get("If-Range") == '"2"'
            self.serve(CONTENT, {"ETag": '"2"'}, ranges=same)

    def changes_unasked(self) -> None:
        body, version = (OTHER, '"1"') if self.first else (CONTENT, '"2"')
        self.serve(body, {"ETag": version}, stop=CUT if self.first else None)

    def start(self) -> int:
        """The first byte that is asked for."""
        return int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))

    def serve(
        self,
        body: bytes,
        headers: dict[str, str | None] | None = None,
        *,
        stop: int | None = None,
        ranges: bool = True,
        shift: int = 0,
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
        for name, value in ({"Content-Length": str(len(body) - start)} | (headers or {})).items():
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
            self.serve(CONTENT)
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
