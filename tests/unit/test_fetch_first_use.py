"""Without a published checksum, the first download of an archive sets it."""

import json
import random
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from archive_files import packed
from http_server import CONTENT, CUT, GZIPPED, HASTE, OTHER, Server, fetched

from deepmt.config.corpora import Archive
from deepmt.data.fetch import FetchError, fetch
from deepmt.data.members import wrong_content
from tiny_runs import run_here


def archive(*addresses: str, size: int | None = None, name: str = "text") -> Archive:
    return Archive(name=name, bytes=size, addresses=addresses)


def test_the_sum_that_was_found_is_recorded_and_printed(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fetched(archive(server.at("good")), tmp_path)
    recorded = json.loads((tmp_path / "a.sum.json").read_text())
    assert recorded == {"sha256": sha256(CONTENT).hexdigest(), "bytes": len(CONTENT)}
    assert "text: no checksum is published" in capsys.readouterr().out


def test_another_file_is_refused_from_then_on(server: Server, tmp_path: Path) -> None:
    fetched(archive(server.at("good")), tmp_path)
    (tmp_path / "a").unlink()
    accept = "to accept the new file, run `python workflow_scripts/fetch.py --archive a --drop-sum`"
    with pytest.raises(FetchError, match=re.escape(accept)):
        fetched(archive(server.at("wrong")), tmp_path)


def test_one_command_drops_the_sum(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch(archive(server.at("good")), tmp_path / "data/archives/a", policy=HASTE)
    (tmp_path / "data/archives/a").unlink()
    described = f"a: {{name: text, addresses: ['{server.at('wrong')}']}}"
    (tmp_path / "corpora.yaml").write_text(f"archives:\n  {described}\ncorpora: {{}}\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"--archive a --drop-sum"):
        run_here("fetch", "--archive", "a")
    run_here("fetch", "--archive", "a", "--drop-sum")
    assert (tmp_path / "data/archives/a").read_bytes() == OTHER
    recorded = json.loads((tmp_path / "data/archives/a.sum.json").read_text())
    assert recorded["sha256"] == sha256(OTHER).hexdigest()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"sha256": 3'])
def test_a_damaged_sum_is_named(server: Server, tmp_path: Path, content: str) -> None:
    (tmp_path / "a.sum.json").write_text(content)
    with pytest.raises(
        ValueError, match=r"a\.sum\.json is damaged \(.*\); run `python .* --drop-sum`"
    ):
        fetched(archive(server.at("good")), tmp_path)


REFUSED = {
    "gzipped-and-cut": "found truncated or damaged (Compressed file ended before",
    "page-called-gzip": "found a web page",
    "compressed-page": "found a web page",
    "good": "found no gzip file",
    "nothing": "found empty",
    "floods": "expected at most 500,000 bytes, got more",
    "announces-a-flood": "expected at most 500,000 bytes, announced 999,999,999",
    "announces-more": "3 attempts in a row received almost nothing",
    "announces-nothing": "does not say how long the file is, and no checksum is known",
}


@pytest.mark.parametrize("path", REFUSED)
def test_what_is_no_whole_archive_sets_no_sum_and_the_next_address_is_tried(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    addresses = server.at(path), server.at("gzipped")
    haste = replace(HASTE, most_bytes=500_000)
    assert fetched(archive(*addresses, name="text.gz"), tmp_path, haste) == GZIPPED
    assert REFUSED[path] in capsys.readouterr().err
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a", "a.sum.json"]


def test_a_file_that_comes_in_chunks_has_an_end(server: Server, tmp_path: Path) -> None:
    assert fetched(archive(server.at("gzipped-in-chunks"), name="text.gz"), tmp_path) == GZIPPED


@pytest.mark.parametrize("path", ["breaks-off", "nothing", "compressed-page"])
def test_plain_text_that_may_be_cut_or_is_none_sets_no_sum(
    server: Server, tmp_path: Path, path: str
) -> None:
    with pytest.raises(FetchError, match=r"does not say how long|found empty|found a web page"):
        fetched(archive(server.at(path)), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_put_there_by_hand_that_is_no_archive_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(CONTENT)
    with pytest.raises(FetchError, match=r"/a: expected a whole text\.gz, found no gzip"):
        fetch(archive(name="text.gz"), tmp_path / "a")
    assert not (tmp_path / "a.sum.json").exists()


@pytest.mark.parametrize("ending", ["tgz", "tar.gz", "tar", "gz", "zip"])
def test_every_kind_of_archive_is_accepted_whole_and_refused_cut(
    tmp_path: Path, ending: str
) -> None:
    path = packed(tmp_path / "a", ending, b"".join(b"%d\n" % (i * i) for i in range(3000)))
    assert wrong_content(path, f"text.{ending}") is None
    draw, whole = random.Random(ending), path.read_bytes()
    for length in [0, 1, *(draw.randrange(len(whole) // 2) for _ in range(20))]:
        path.write_bytes(whole[:length])
        assert wrong_content(path, f"text.{ending}"), length


def test_a_damaged_file_is_seen_by_the_sum_of_its_first_use(server: Server, tmp_path: Path) -> None:
    fetched(archive(server.at("good")), tmp_path)
    (tmp_path / "a").write_bytes(OTHER)
    assert fetched(archive(server.at("good")), tmp_path) == CONTENT


def test_what_was_put_there_by_hand_is_trusted_too(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(CONTENT)
    fetch(archive(), tmp_path / "a")
    assert sha256(CONTENT).hexdigest() in (tmp_path / "a.sum.json").read_text()


def test_a_size_that_is_known_is_checked(server: Server, tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="expected 1,234 bytes, announced 200,000"):
        fetched(archive(server.at("good"), size=1234), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_size_that_is_known_is_checked_in_a_mirror(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(CONTENT)
    with pytest.raises(FetchError, match="expected 1,234 bytes, found 200,000"):
        fetch(archive(size=1234), tmp_path / "a", tmp_path)
    assert not (tmp_path / "a").exists()


def test_a_version_lets_a_broken_download_go_on(server: Server, tmp_path: Path) -> None:
    assert fetched(archive(server.at("tells-its-version")), tmp_path) == CONTENT
    assert server.sent["tells-its-version"] == len(CONTENT)


def test_a_part_that_is_longer_than_the_file_is_thrown_away(server: Server, tmp_path: Path) -> None:
    origin = {"address": server.at("good"), "version": '"1"'}
    (tmp_path / "a.part.json").write_text(json.dumps(origin))
    (tmp_path / "a.part").write_bytes(OTHER + b"too long")
    assert fetched(archive(server.at("good")), tmp_path) == CONTENT


@pytest.mark.parametrize("path", ["changes", "changes-unasked"])
def test_two_versions_of_a_file_are_never_joined(server: Server, tmp_path: Path, path: str) -> None:
    assert fetched(archive(server.at(path)), tmp_path) == CONTENT
    assert server.asked[:2] == [(path, None), (path, f"bytes={CUT}-")]


def test_without_a_version_a_broken_download_starts_anew(server: Server, tmp_path: Path) -> None:
    assert fetched(archive(server.at("drops")), tmp_path) == CONTENT
    assert server.asked == [("drops", None), ("drops", None)]


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
