"""A crate's zip: what goes in comes out, and nothing else is ever written."""

import json
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from deepmt.export.crate_archive import METADATA, Sum, extract, write_archive

FILES = {"a.txt": b"first", "deep/er/b ä.csv": b"x,y\n" * 999, "empty": b"", "w.npy": b"\0\1\2"}


def describe(sums: Mapping[str, Sum]) -> str:
    files = [
        {"@id": name, "@type": "File", "contentSize": str(found.size), "sha256": found.sha256}
        for name, found in sums.items()
    ]
    return json.dumps({"@graph": [{"@id": "./", "@type": "Dataset"}, *files]})


@pytest.fixture
def crate(tmp_path: Path) -> Path:
    """An archive of the files above."""
    write_archive(tmp_path / "crate.zip", FILES, describe)
    return tmp_path / "crate.zip"


def opened(crate: Path) -> Path:
    extract(crate, crate.parent / "there")
    return crate.parent / "there"


def rewritten(crate: Path, changes: Mapping[str, bytes | None]) -> Path:
    """The archive with other bytes under some names, or without them, as any zip tool makes it."""
    with zipfile.ZipFile(crate) as archive:
        held = {name: archive.read(name) for name in archive.namelist()} | changes
    with zipfile.ZipFile(crate, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in held.items():
            if content is not None:
                archive.writestr(name, content)
    return crate


def with_entry(crate: Path, entry: zipfile.ZipInfo, content: bytes = b"x") -> Path:
    with zipfile.ZipFile(crate, "a") as archive:
        archive.writestr(entry, content)
    return crate


def test_what_goes_in_comes_out(crate: Path) -> None:
    there = opened(crate)
    found = {p.relative_to(there).as_posix(): p for p in there.rglob("*") if p.is_file()}
    assert {name: path.read_bytes() for name, path in found.items()} == FILES


def test_the_same_files_make_the_same_bytes(crate: Path) -> None:
    again = crate.with_name("again.zip")
    write_archive(again, dict(reversed(FILES.items())), describe)
    assert again.read_bytes() == crate.read_bytes()


def test_the_size_of_what_was_bundled_is_told(tmp_path: Path) -> None:
    told = write_archive(tmp_path / "crate.zip", FILES, describe)
    count, size = extract(tmp_path / "crate.zip", tmp_path / "there")
    assert (count, size) == (len(FILES), told) == (len(FILES), sum(map(len, FILES.values())))


def test_every_wrong_file_is_named_at_once(crate: Path) -> None:
    changes = {"a.txt": b"First", "w.npy": b"\0\1", "empty": None, "more": b"?"}
    with pytest.raises(ValueError, match="is not as it was made") as raised:
        opened(rewritten(crate, changes))
    told = [line.partition(" has ")[0] for line in str(raised.value).splitlines()[1:]]
    assert told == ["differs: a.txt", "differs: w.npy", "missing: empty", "not listed: more"]


def test_a_file_that_no_longer_unpacks_is_named(crate: Path) -> None:
    with zipfile.ZipFile(crate) as archive:
        start = archive.getinfo("deep/er/b ä.csv").header_offset
    held = bytearray(crate.read_bytes())
    held[start + 70 : start + 74] = b"\xff\xff\xff\xff"
    crate.write_bytes(held)
    with pytest.raises(ValueError, match=r"damaged: deep/er/b ä\.csv"):
        opened(crate)


def test_a_crate_that_was_packed_again_by_another_tool_is_the_same_crate(crate: Path) -> None:
    folder = zipfile.ZipInfo("deep/er/")
    assert (opened(with_entry(rewritten(crate, {}), folder, b"")) / "a.txt").exists()


@pytest.mark.parametrize(
    "name", ["../evil", "/tmp/evil", "deep/../../evil", "..\\evil", "c:evil", "./a.txt", "deep//x"]
)
def test_a_name_that_leads_elsewhere_is_refused(crate: Path, name: str) -> None:
    entry = zipfile.ZipInfo("x")
    entry.filename = name
    with pytest.raises(ValueError, match="would lie outside of the folder"):
        opened(with_entry(crate, entry))
    assert [path.name for path in crate.parent.iterdir()] == ["crate.zip"]


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_devices_are_refused(crate: Path, kind: int) -> None:
    entry = zipfile.ZipInfo("evil")
    entry.external_attr = (kind | 0o777) << 16
    with pytest.raises(ValueError, match="is a link or a device"):
        opened(with_entry(crate, entry, b"/etc/passwd"))


def test_two_files_of_one_name_are_refused(crate: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        with_entry(crate, zipfile.ZipInfo("a.txt"))
    with pytest.raises(ValueError, match="two files of one name"):
        opened(crate)


def test_a_bomb_is_refused_before_it_grows(tmp_path: Path) -> None:
    write_archive(tmp_path / "crate.zip", {"bomb": bytes(10_000_000)}, describe)
    with pytest.raises(ValueError, match="more than 100 times: it is not trusted"):
        opened(tmp_path / "crate.zip")
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.99])
def test_a_crate_that_is_cut_off_is_refused(crate: Path, share: float) -> None:
    held = crate.read_bytes()
    crate.write_bytes(held[: int(share * len(held))])
    with pytest.raises(ValueError, match=r"is cut off, or no archive .* copy it again"):
        opened(crate)


@pytest.mark.parametrize(
    ("graph", "rule"),
    [
        (None, "it is no crate of ours"),
        (b"{", "does not give a size and a sha256"),
        (b'{"@graph": [{"@type": "File", "@id": "a.txt"}]}', "does not give a size and a sha256"),
        (b'{"@graph": "File"}', "does not give a size and a sha256"),
    ],
)
def test_metadata_without_sums_is_refused(crate: Path, graph: bytes | None, rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        opened(rewritten(crate, {METADATA: graph}))
