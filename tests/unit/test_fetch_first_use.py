"""Without a published checksum, the first download of an archive sets it."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from http_server import CONTENT, CUT, OTHER, Server, running_server

from deepmt.config.corpora import Archive
from deepmt.data.download import RetryPolicy
from deepmt.data.fetch import FetchError, fetch

HASTE = RetryPolicy(connect_seconds=1, stall_seconds=0.2, attempts=3, pause_seconds=0)


@pytest.fixture
def server() -> Iterator[Server]:
    with running_server() as running:
        yield running


def archive(*addresses: str, size: int | None = None) -> Archive:
    return Archive(name="text.tgz", bytes=size, addresses=addresses)


def test_the_sum_that_was_found_is_recorded_and_printed(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fetch(archive(server.at("good")), tmp_path / "a", policy=HASTE)
    recorded = json.loads((tmp_path / "a.sum.json").read_text())
    assert recorded == {"sha256": sha256(CONTENT).hexdigest(), "bytes": len(CONTENT)}
    assert "text.tgz: no checksum is published" in capsys.readouterr().out


def test_another_file_is_refused_from_then_on(server: Server, tmp_path: Path) -> None:
    fetch(archive(server.at("good")), tmp_path / "a", policy=HASTE)
    (tmp_path / "a").unlink()
    with pytest.raises(FetchError, match=r"to accept the new file, delete .*a\.sum\.json"):
        fetch(archive(server.at("wrong")), tmp_path / "a", policy=HASTE)


def test_a_damaged_file_is_seen_by_the_sum_of_its_first_use(server: Server, tmp_path: Path) -> None:
    fetch(archive(server.at("good")), tmp_path / "a", policy=HASTE)
    (tmp_path / "a").write_bytes(OTHER)
    fetch(archive(server.at("good")), tmp_path / "a", policy=HASTE)
    assert (tmp_path / "a").read_bytes() == CONTENT


def test_what_was_put_there_by_hand_is_trusted_too(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(CONTENT)
    fetch(archive(), tmp_path / "a")
    assert sha256(CONTENT).hexdigest() in (tmp_path / "a.sum.json").read_text()


def test_a_size_that_is_known_is_checked(server: Server, tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="expected 1,234 bytes, announced 200,000"):
        fetch(archive(server.at("good"), size=1234), tmp_path / "a", policy=HASTE)
    assert list(tmp_path.iterdir()) == []


def test_a_size_that_is_known_is_checked_in_a_mirror(tmp_path: Path) -> None:
    (tmp_path / "text.tgz").write_bytes(CONTENT)
    with pytest.raises(FetchError, match="expected 1,234 bytes, found 200,000"):
        fetch(archive(size=1234), tmp_path / "a", tmp_path)
    assert not (tmp_path / "a").exists()


def test_a_version_lets_a_broken_download_go_on(server: Server, tmp_path: Path) -> None:
    fetch(archive(server.at("tells-its-version")), tmp_path / "a", policy=HASTE)
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert server.sent["tells-its-version"] == len(CONTENT)


def test_a_part_that_is_longer_than_the_file_is_thrown_away(server: Server, tmp_path: Path) -> None:
    origin = {"address": server.at("good"), "version": '"1"'}
    (tmp_path / "a.part.json").write_text(json.dumps(origin))
    (tmp_path / "a.part").write_bytes(OTHER + b"too long")
    fetch(archive(server.at("good")), tmp_path / "a", policy=HASTE)
    assert (tmp_path / "a").read_bytes() == CONTENT


@pytest.mark.parametrize("path", ["changes", "changes-unasked"])
def test_two_versions_of_a_file_are_never_joined(server: Server, tmp_path: Path, path: str) -> None:
    fetch(archive(server.at(path)), tmp_path / "a", policy=HASTE)
    assert server.asked[:2] == [(path, None), (path, f"bytes={CUT}-")]
    assert (tmp_path / "a").read_bytes() == CONTENT


def test_without_a_version_a_broken_download_starts_anew(server: Server, tmp_path: Path) -> None:
    fetch(archive(server.at("drops")), tmp_path / "a", policy=HASTE)
    assert server.asked == [("drops", None), ("drops", None)]
    assert (tmp_path / "a").read_bytes() == CONTENT


def test_a_licensed_file_s_message_says_how_to_come_by_it(tmp_path: Path) -> None:
    licensed = Archive(name="nist12/mt04.zh", obtain="LDC2010T12, by licence from the LDC.")
    with pytest.raises(FetchError) as raised:
        fetch(licensed, tmp_path / "a", tmp_path / "mirror")
    assert str(raised.value).splitlines() == [
        "nist12/mt04.zh could not be fetched:",
        f"  {tmp_path}/mirror: the mirror has none of {tmp_path}/mirror/nist12/mt04.zh,"
        f" {tmp_path}/mirror/a",
        "  it has no public address",
        "how to obtain it: LDC2010T12, by licence from the LDC.",
        "or give --config mirror=DIR, a folder that holds it as nist12/mt04.zh",
    ]
