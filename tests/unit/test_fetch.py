"""fetch: the right file or a clear error, over a server that misbehaves."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from http_server import CONTENT, CUT, HASTE, OTHER, Server, fetched

from deepmt.config.corpora import Archive, load_corpora
from deepmt.data import download
from deepmt.data.download import RetryPolicy
from deepmt.data.fetch import FetchError, fetch

ROOT = Path(__file__).parents[2]
KNOWN_TO_BE_DEAD = ("wit3.fbk.eu", "drive.google.com", "quest.dcs.shef.ac.uk")


def archive(*addresses: str, mirror_paths: tuple[str, ...] = ()) -> Archive:
    return Archive(
        name="text.tgz",
        bytes=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        addresses=addresses,
        mirror_paths=mirror_paths,
    )


def refusal(wanted: Archive, target: Path, mirror: Path | None = None) -> str:
    """What fetch says where it finds no right file; nothing may then be at `target`."""
    with pytest.raises(FetchError) as raised:
        fetch(wanted, target, mirror, HASTE)
    assert not target.exists()
    return str(raised.value)


@pytest.mark.parametrize(
    "path",
    "drops crumbs stalls ignores-ranges sends-another-range changes changes-unasked moved"
    " announces-more announces-nothing".split(),
)
def test_a_troubled_server_gives_the_right_file_in_the_end(
    server: Server, tmp_path: Path, path: str
) -> None:
    wanted = archive(server.at(path), server.at("good"))
    assert fetched(wanted, tmp_path) == CONTENT
    assert [file.name for file in tmp_path.iterdir()] == ["a"]
    assert ("good", None) not in server.asked or path in ("moved", "announces-more")


def test_every_reason_is_printed_beside_its_address(server: Server, tmp_path: Path) -> None:
    reasons = {
        "missing": "answered 404 Not Found",
        "page": "answered with a web page instead of the file",
        "wrong": f"wrong file, refused: expected sha256 {archive().sha256}, found "
        + hashlib.sha256(OTHER).hexdigest(),
        "loop": "Exceeded 10 redirects.",
        "moved-to-ftp": "No connection adapters were found for 'ftp://127.0.0.1/good'",
        "announces-less": "wrong file, refused: expected 200,000 bytes, announced 1,000",
        "endless": "wrong file, refused: expected 200,000 bytes, got more",
        "announces-a-word": "answered with the length 'abc'",
        "announces-too-many-digits": "answered with the length '99999",
        "no-such-range": "answered 416 Requested Range Not Satisfiable",
        "moved-to-nowhere": "its answer cannot be read: Invalid IPv6 URL",
        "busy-until-2200": "answered 503 Service Unavailable and asks to retry in 21,600 s",
        "trickles": "3 attempts in a row received almost nothing",
        "never-gets-further": "3 attempts in a row received almost nothing",
    }
    message = refusal(archive(*map(server.at, reasons)), tmp_path / "a").splitlines()
    for line, (path, reason) in zip(message[1:], reasons.items(), strict=False):
        assert line.startswith(f"  {server.at(path)}: {reason}")


@pytest.mark.parametrize(
    "path",
    "announces-a-word announces-too-many-digits moved-to-nowhere sends-an-unreadable-range".split(),
)
def test_after_an_unreadable_answer_the_next_address_is_tried(
    server: Server, tmp_path: Path, path: str
) -> None:
    assert fetched(archive(server.at(path), server.at("good")), tmp_path) == CONTENT
    assert server.asked[-1][0] == "good"


def test_a_server_that_cannot_be_reached_is_named(tmp_path: Path) -> None:
    assert "http://127.0.0.1:1/a: 3 attempts" in refusal(
        archive("http://127.0.0.1:1/a"), tmp_path / "a"
    )


def test_only_what_is_missing_is_asked_for_again(server: Server, tmp_path: Path) -> None:
    fetched(archive(server.at("drops")), tmp_path)
    assert server.encodings == {"identity"}, "a file is asked for as it is"
    assert server.asked == [("drops", None), ("drops", f"bytes={CUT}-")]
    assert server.sent["drops"] == len(CONTENT)


def test_the_next_address_goes_on_where_the_last_one_broke_off(
    server: Server, tmp_path: Path
) -> None:
    wanted = archive(server.at("never-gets-further"), server.at("good"))
    fetched(wanted, tmp_path)
    assert server.asked[-1] == ("good", f"bytes={CUT}-")


@pytest.mark.parametrize("name", ["a.part", "a"])
@pytest.mark.parametrize(
    "old", [b"not the start of it", CONTENT[:-1], CONTENT + b"too long", OTHER], ids=len
)
def test_a_bad_file_or_part_is_thrown_away(
    server: Server, tmp_path: Path, name: str, old: bytes
) -> None:
    (tmp_path / name).write_bytes(old)
    assert fetched(archive(server.at("good")), tmp_path) == CONTENT


def test_a_part_that_is_whole_is_not_fetched_again(server: Server, tmp_path: Path) -> None:
    (tmp_path / "a.part").write_bytes(CONTENT)
    assert fetched(archive(server.at("good")), tmp_path) == CONTENT
    assert server.sent["good"] == 0


def test_pauses_double_and_the_server_may_ask_for_longer_ones(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(download.time, "sleep", pauses.append)
    addresses = server.at("never-gets-further"), server.at("busy")
    policy = RetryPolicy(attempts=4, pause_seconds=1)
    fetch(archive(*addresses), tmp_path / "a", policy=policy)
    assert pauses == [1, 1, 2, 4, 7]


def test_a_killed_download_goes_on_where_it_was(server: Server, tmp_path: Path) -> None:
    process = start_script(archive(server.at("waits")), tmp_path)
    part = tmp_path / "a.part"
    deadline = time.monotonic() + 10
    while not (part.is_file() and part.stat().st_size == CUT) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    server.over.set()
    assert start_script(archive(server.at("waits")), tmp_path).wait() == 0
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert server.sent["waits"] == len(CONTENT)


def test_the_script_ends_with_the_message_and_no_traceback(server: Server, tmp_path: Path) -> None:
    process = start_script(archive(server.at("missing")), tmp_path)
    message = process.communicate()[1]
    assert process.returncode == 1
    assert f"{server.at('missing')}: answered 404" in message
    assert "Traceback" not in message
    assert "mirror has none" not in message


def start_script(wanted: Archive, folder: Path) -> "subprocess.Popen[str]":
    settings = f"{{name: {wanted.name}, bytes: {wanted.bytes}, sha256: {wanted.sha256},"
    settings += f" addresses: [{', '.join(wanted.addresses)}]}}"
    (folder / "corpora.yaml").write_text(f"archives:\n  a: {settings}\ncorpora: {{}}\n")
    script = ROOT / "workflow_scripts" / "fetch.py"
    flags = ["--corpora-file", folder / "corpora.yaml", "--archive", "a", "--output", folder / "a"]
    flags += ["--mirror", ""]  # as the rule says it where none is set
    command = [sys.executable, str(script), *map(str, flags)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def test_what_is_there_is_not_fetched_again(server: Server, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(CONTENT)
    fetch(archive(server.at("good")), tmp_path / "a")
    assert server.asked == []


@pytest.mark.parametrize("place", ["multi/raw.tgz", "text.tgz", "a"])
def test_a_mirror_comes_first(server: Server, tmp_path: Path, place: str) -> None:
    mirrored = tmp_path / "mirror" / place
    mirrored.parent.mkdir(parents=True)
    mirrored.write_bytes(CONTENT)
    wanted = archive(server.at("good"), mirror_paths=("multi/raw.tgz",))
    fetch(wanted, tmp_path / "a", tmp_path / "mirror")
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert server.asked == []


def test_a_wrong_file_in_the_mirror_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.tgz").write_bytes(OTHER)
    message = refusal(archive(), tmp_path / "a", tmp_path)
    assert f"{tmp_path / 'text.tgz'}: wrong file, refused: expected sha256" in message
    assert [file.name for file in tmp_path.iterdir()] == ["text.tgz"]


def test_a_full_disk_leaves_nothing_under_the_final_name(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(download.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        fetch(archive(server.at("good")), tmp_path / "a", policy=HASTE)
    assert not (tmp_path / "a").exists()


def test_no_address_that_is_known_to_be_dead_comes_before_a_living_one() -> None:
    for key, known in load_corpora(ROOT / "corpora.yaml").archives.items():
        dead = [any(place in address for place in KNOWN_TO_BE_DEAD) for address in known.addresses]
        assert dead == sorted(dead), key
