"""fetch: the right file or a clear error, over servers and mirrors that misbehave."""

import errno
import gzip
import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from http_server import CONTENT, CUT, OTHER, Server

from deepmt.data import download
from deepmt.data.fetch import FetchError, fetch
from deepmt.settings.corpora import Archive
from projects import ROOT

SUM = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither wait nor pause for long."""
    monkeypatch.setattr(download, "TIMEOUT", (1.0, 0.3))
    monkeypatch.setattr(download, "RETRIES", 2)
    monkeypatch.setattr(download, "PAUSE", 0.0)


def archive(*addresses: str, mirror_paths: tuple[str, ...] = ()) -> Archive:
    return Archive(
        name="text.tar",
        bytes=len(CONTENT),
        sha256=SUM,
        addresses=addresses,
        mirror_paths=mirror_paths,
    )


def fetched(wanted: Archive, folder: Path) -> bytes:
    """Fetch an archive as `a` in a folder; return what is there then."""
    fetch(wanted, folder / "a")
    return (folder / "a").read_bytes()


def refusal(wanted: Archive, target: Path, mirror: Path | None = None) -> str:
    """What fetch says where it finds no right file; nothing may then be at `target`."""
    with pytest.raises(FetchError) as raised:
        fetch(wanted, target, mirror)
    assert not target.exists()
    return str(raised.value)


@pytest.mark.parametrize(
    "path", "drops ignores-ranges begins-with-another stalls moved busy".split()
)
def test_a_troubled_server_gives_the_right_file_in_the_end(
    server: Server, tmp_path: Path, path: str
) -> None:
    assert fetched(archive(server.at(path)), tmp_path) == CONTENT
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


def test_every_reason_is_printed_beside_its_address(server: Server, tmp_path: Path) -> None:
    other = hashlib.sha256(OTHER).hexdigest()
    reasons = {
        "missing": "404 Client Error",
        "page": "answered with a web page instead of the file",
        "compressed": "sends the file in the encoding gzip",
        "wrong": f"wrong file, refused: expected sha256 {SUM}, found {other}",
        "too-long": "sends more than 200,000 bytes",
    }
    message = refusal(archive(*map(server.at, reasons)), tmp_path / "a").splitlines()
    for line, (path, reason) in zip(message[1:], reasons.items(), strict=False):
        assert line.startswith(f"  {server.at(path)}: {reason}")
    assert "http://127.0.0.1:1/a: " in refusal(archive("http://127.0.0.1:1/a"), tmp_path / "a")


def test_the_next_address_goes_on_where_the_last_one_broke_off(
    server: Server, tmp_path: Path
) -> None:
    fetched(archive(server.at("never-gets-further"), server.at("good")), tmp_path)
    assert server.asked[-1] == ("good", f"bytes={CUT}-")


def test_without_a_checksum_a_download_starts_again_and_its_sum_is_printed(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fetched(Archive(name="text", addresses=(server.at("drops"),)), tmp_path) == CONTENT
    assert server.asked == [("drops", None), ("drops", None)]
    assert capsys.readouterr().out == f"text: no checksum is known; its sha256 is {SUM}\n"


def test_without_checksum_and_length_a_file_is_refused(server: Server, tmp_path: Path) -> None:
    unknown = Archive(name="text", addresses=(server.at("without-length"),))
    assert "does not say how long the file is" in refusal(unknown, tmp_path / "a")


@pytest.mark.parametrize("name", ["a.part", "a"])
@pytest.mark.parametrize("old", [CONTENT[:-1], CONTENT + b"too long", OTHER], ids=len)
def test_a_bad_file_or_part_is_thrown_away(
    server: Server, tmp_path: Path, name: str, old: bytes
) -> None:
    (tmp_path / name).write_bytes(old)
    assert fetched(archive(server.at("good")), tmp_path) == CONTENT


def test_a_killed_download_goes_on_where_it_was(server: Server, tmp_path: Path) -> None:
    process = start_script(archive(server.at("waits")), tmp_path)
    part = tmp_path / "a.part"
    deadline = time.monotonic() + 30
    while not (part.is_file() and part.stat().st_size == CUT) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert part.stat().st_size == CUT
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    server.over.set()
    again = start_script(archive(server.at("waits")), tmp_path)
    assert not again.communicate()[1]
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert server.asked[-1] == ("waits", f"bytes={CUT}-")


def start_script(wanted: Archive, folder: Path) -> "subprocess.Popen[str]":
    settings = f"{{name: {wanted.name}, bytes: {wanted.bytes}, sha256: {wanted.sha256},"
    settings += f" addresses: [{', '.join(wanted.addresses)}]}}"
    (folder / "corpora.yaml").write_text(f"archives:\n  a: {settings}\ncorpora: {{}}\n")
    script = ROOT / "workflow_scripts/jobs/fetch.py"
    flags = ["--corpora-file", folder / "corpora.yaml", "--archive", "a", "--output", folder / "a"]
    flags += ["--mirror", ""]  # as the rule says it where none is set
    command = [sys.executable, str(script), *map(str, flags)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def test_what_is_there_is_not_fetched_again(server: Server, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(CONTENT)
    fetch(archive(server.at("good")), tmp_path / "a")
    assert server.asked == []


@pytest.mark.parametrize("place", ["multi/raw.tar", "text.tar", "a"])
def test_a_mirror_comes_first(server: Server, tmp_path: Path, place: str) -> None:
    mirrored = tmp_path / "mirror" / place
    mirrored.parent.mkdir(parents=True)
    mirrored.write_bytes(CONTENT)
    wanted = archive(server.at("good"), mirror_paths=("multi/raw.tar",))
    fetch(wanted, tmp_path / "a", tmp_path / "mirror")
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert server.asked == []


def test_a_mirror_may_have_a_file_compressed(tmp_path: Path) -> None:
    mirror = tmp_path / "mirror/multi"
    mirror.mkdir(parents=True)
    (mirror / "raw.tar.gz").write_bytes(gzip.compress(CONTENT))
    fetch(archive(mirror_paths=("multi/raw.tar",)), tmp_path / "a", tmp_path / "mirror")
    assert (tmp_path / "a").read_bytes() == CONTENT
    (mirror / "raw.tar.gz").write_bytes(gzip.compress(CONTENT)[:-20])
    message = refusal(archive(mirror_paths=("multi/raw.tar",)), tmp_path / "b", tmp_path / "mirror")
    assert "raw.tar.gz" in message
    assert not [*tmp_path.glob("b*")]


def test_a_wrong_file_in_the_mirror_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.tar").write_bytes(OTHER)
    message = refusal(archive(), tmp_path / "a", tmp_path)
    assert f"{tmp_path / 'text.tar'}: wrong file, refused: expected sha256" in message
    assert [file.name for file in tmp_path.iterdir()] == ["text.tar"]


def test_a_full_disk_leaves_nothing_under_the_final_name(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(download.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        fetch(archive(server.at("good")), tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_a_file_system_without_fsync_keeps_what_was_fetched(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking(_: int) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(download.os, "fsync", lacking)
    assert fetched(archive(server.at("good")), tmp_path) == CONTENT


def test_a_licensed_file_s_message_says_how_to_come_by_it(tmp_path: Path) -> None:
    licensed = Archive(name="nist12/mt04.zh", obtain="LDC2010T12, by licence from the LDC.")
    message = refusal(licensed, tmp_path / "a", tmp_path / "mirror")
    assert "how to obtain it: LDC2010T12, by licence from the LDC." in message
    assert "--config mirror=DIR, a folder that holds it as nist12/mt04.zh" in message
