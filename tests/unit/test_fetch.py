"""fetch: the right file or a clear error, over a server that misbehaves."""

import hashlib
import random
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from deepmt.data import fetch as fetch_module
from deepmt.data.corpora import Archive
from deepmt.data.fetch import FetchError, fetch

CONTENT = random.Random(0).randbytes(200_000)


class Server(ThreadingHTTPServer):
    """Serves CONTENT at /good, and in ways that fail elsewhere; notes what was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, str | None]] = []

    def at(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}{path}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.server.asked.append((self.path, wanted))
        if self.path == "/missing":
            self.send_error(404)
            return
        body = CONTENT[::-1] if self.path == "/wrong" else CONTENT
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if self.path == "/no-ranges":
            start = 0
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body) - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.end_headers()
        drops = self.path in ("/drops", "/no-ranges") and len(self.server.asked) == 1
        self.wfile.write(body[start : 70_000 if drops or self.path == "/always-drops" else None])

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
        yield running
        running.shutdown()


def archive(*addresses: str, mirror_paths: tuple[str, ...] = ()) -> Archive:
    return Archive(
        name="text.tgz",
        bytes=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        addresses=addresses,
        mirror_paths=mirror_paths,
    )


def test_a_wrong_file_is_refused_and_the_next_address_tried(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = archive(server.at("/wrong"), server.at("/good"))
    fetch(wanted, tmp_path / "a", pause_seconds=0)
    assert (tmp_path / "a").read_bytes() == CONTENT
    refusal = capsys.readouterr().err
    assert f"/wrong: wrong file, refused: expected sha256 {wanted.sha256}" in refusal
    assert f"found {hashlib.sha256(CONTENT[::-1]).hexdigest()}" in refusal


@pytest.mark.parametrize("path", ["/drops", "/no-ranges"])
def test_a_dropped_connection_is_taken_up_again(server: Server, tmp_path: Path, path: str) -> None:
    fetch(archive(server.at(path)), tmp_path / "a", pause_seconds=0)
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert server.asked[0] == (path, None)
    assert server.asked[1][1] is not None
    assert server.asked[1][1].startswith("bytes=")


def test_a_part_of_an_earlier_call_is_continued(server: Server, tmp_path: Path) -> None:
    (tmp_path / "a.part").write_bytes(CONTENT[:1234])
    fetch(archive(server.at("/good")), tmp_path / "a", pause_seconds=0)
    assert server.asked == [("/good", "bytes=1234-")]
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("old", [b"not the start of it", CONTENT + b"too long", CONTENT[::-1]])
def test_a_bad_part_is_thrown_away(server: Server, tmp_path: Path, old: bytes) -> None:
    (tmp_path / "a.part").write_bytes(old)
    fetch(archive(server.at("/good")), tmp_path / "a", pause_seconds=0)
    assert (tmp_path / "a").read_bytes() == CONTENT


def test_the_error_names_every_address_and_leaves_no_file(server: Server, tmp_path: Path) -> None:
    wanted = archive(*map(server.at, ("/missing", "/wrong", "/always-drops")))
    with pytest.raises(FetchError) as raised:
        fetch(wanted, tmp_path / "a", pause_seconds=0)
    message = str(raised.value)
    assert "/missing: answered 404" in message
    assert "/wrong: wrong file, refused" in message
    assert "/always-drops:" in message
    assert not (tmp_path / "a").exists()


def test_what_is_there_is_not_fetched_again(server: Server, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(CONTENT)
    fetch(archive(server.at("/good")), tmp_path / "a")
    assert server.asked == []


def test_a_damaged_file_is_fetched_again(server: Server, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(CONTENT[:-1])
    fetch(archive(server.at("/good")), tmp_path / "a", pause_seconds=0)
    assert (tmp_path / "a").read_bytes() == CONTENT


@pytest.mark.parametrize("place", ["multi/raw.tgz", "text.tgz"])
def test_a_mirror_comes_first(server: Server, tmp_path: Path, place: str) -> None:
    mirrored = tmp_path / "mirror" / place
    mirrored.parent.mkdir(parents=True)
    mirrored.write_bytes(CONTENT)
    wanted = archive(server.at("/good"), mirror_paths=("multi/raw.tgz",))
    fetch(wanted, tmp_path / "a", tmp_path / "mirror")
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert server.asked == []


def test_a_wrong_file_in_the_mirror_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.tgz").write_bytes(b"other")
    with pytest.raises(FetchError, match="wrong file, refused: expected sha256"):
        fetch(archive(), tmp_path / "a", tmp_path)
    assert not list(tmp_path.glob("a*"))


def test_without_an_address_the_message_says_what_to_do(tmp_path: Path) -> None:
    wanted = archive(mirror_paths=("iwslt14/text.tgz",))
    with pytest.raises(FetchError, match=r"no public address\ngive mirror=DIR.* iwslt14/text.tgz"):
        fetch(wanted, tmp_path / "a")


def test_a_full_disk_leaves_nothing_under_the_final_name(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(fetch_module.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        fetch(archive(server.at("/good")), tmp_path / "a", pause_seconds=0)
    assert not (tmp_path / "a").exists()
