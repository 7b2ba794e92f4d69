"""Archives and extraction: members as streams, and every kind of bad input."""

import gzip
import tarfile
import zipfile
from pathlib import Path

import pytest
from archive_files import packed, tar_of, zip_of

from deepmt.data.extraction import extract, iwslt_tags, iwslt_xml
from deepmt.data.lines import read_lines
from deepmt.data.members import open_member
from deepmt.settings.corpora import Corpus, HeldOut, Part


def content(archive: Path, member: str | None) -> bytes:
    with open_member(archive, member) as stream:
        return stream.read()


def corpus(**changes: object) -> Corpus:
    splits = {"train": (Part(archive="text", member="{language}"),)}
    texts = dict.fromkeys(("title", "licence", "citation", "note"), "")
    return Corpus(**{"source": "en", "target": "de", "splits": splits, **texts, **changes})  # type: ignore[arg-type]


def extracted(folder: Path, english: bytes, german: bytes, **changes: object) -> dict[str, int]:
    archive = tar_of(folder / "text.tgz", {"en": english, "de": german})
    return extract(corpus(**changes), {"text": archive}, folder / "raw")


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_a_tar_member_is_read_under_either_spelling(tmp_path: Path, mode: str) -> None:
    archive = tar_of(tmp_path / "a", {"./other": b"no", "./text": b"yes"}, mode)
    assert content(archive, "text") == b"yes"


def test_zip_gz_and_plain_files_are_read(tmp_path: Path) -> None:
    zip_of(tmp_path / "z", {"folder/text": b"yes"})
    (tmp_path / "g").write_bytes(gzip.compress(b"yes"))
    (tmp_path / "p").write_bytes(b"yes")
    found = [content(tmp_path / "z", "folder/text"), content(tmp_path / "g", None)]
    assert [*found, content(tmp_path / "p", None)] == [b"yes"] * 3


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE])
def test_a_link_is_not_followed(tmp_path: Path, kind: bytes) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as bundle:
        entry = tarfile.TarInfo("text")
        entry.type, entry.linkname = kind, "/etc/passwd"
        bundle.addfile(entry)
    with pytest.raises(ValueError, match="text is a link or folder"):
        content(tmp_path / "a.tar", "text")


def test_a_missing_member_is_named_with_those_there_or_the_nearest(tmp_path: Path) -> None:
    archive = tar_of(tmp_path / "a.tgz", {"one": b"", "two": b""})
    with pytest.raises(ValueError, match="has no member three; it holds: one, two"):
        content(archive, "three")
    archive = tar_of(tmp_path / "a.tgz", {f"x/{i}": b"" for i in range(30)} | {"b/train.en": b""})
    with pytest.raises(ValueError, match=r"no member train\.en; did you mean b/train\.en\?"):
        content(archive, "train.en")


@pytest.mark.parametrize("form", ["tar", "zip"])
def test_a_packed_member_is_unpacked(tmp_path: Path, form: str) -> None:
    write = {"tar": tar_of, "zip": zip_of}[form]
    assert content(write(tmp_path / "a", {"text.gz": gzip.compress(b"yes")}), "text.gz") == b"yes"


@pytest.mark.parametrize("kept", [0.2, 0.5, 0.99])
@pytest.mark.parametrize("form", ["tgz", "tar", "gz", "zip"])
def test_a_truncated_archive_says_what_to_do(tmp_path: Path, kept: float, form: str) -> None:
    text = b"".join(b"line %d\n" % (i * i) for i in range(20_000))
    archive = packed(tmp_path / "a", form, text)
    whole = len(text) if form == "tar" else archive.stat().st_size
    archive.write_bytes(archive.read_bytes()[: int(whole * kept)])
    with pytest.raises(ValueError, match=r"a cannot be read .*; delete it and fetch it"):
        content(archive, None if form == "gz" else "text")


@pytest.mark.parametrize(
    ("method", "spoilt", "named"),
    [
        (zipfile.ZIP_DEFLATED, (6, b"\1"), r"File .text. is encrypted, .*"),
        (zipfile.ZIP_DEFLATED, (8, b"a"), "That compression method is not supported"),
        (zipfile.ZIP_LZMA, (40, b"\xff" * 8), "Corrupt input data"),
    ],
)
def test_a_zip_file_that_cannot_be_read_says_why(
    tmp_path: Path, method: int, spoilt: tuple[int, bytes], named: str
) -> None:
    """Its flags and methods stand in both of its headers."""
    archive = zip_of(tmp_path / "a.zip", {"text": b"yes\n" * 100}, method)
    whole, (place, new) = bytearray(archive.read_bytes()), spoilt
    whole[place : place + len(new)] = new
    if place < 10:
        whole[whole.index(b"PK\1\2") + place + 2] = new[0]
    archive.write_bytes(whole)
    with pytest.raises(
        ValueError, match=rf"a\.zip cannot be read \({named}\); delete it and fetch it again"
    ):
        content(archive, "text")


@pytest.mark.parametrize("member", ["text", None])
@pytest.mark.parametrize(
    ("found", "named"),
    [
        (b"\n<!DOCTYPE html><title>Sign in</title>", "a web page"),
        (b"<HTML>", "a web page"),
        (b"", "empty"),
    ],
)
def test_what_is_no_archive_is_called_what_it_is(
    tmp_path: Path, found: bytes, named: str, member: str | None
) -> None:
    (tmp_path / "a").write_bytes(found)
    with pytest.raises(
        ValueError, match=rf"a cannot be read \(it is {named}\); delete it and fetch it again"
    ):
        content(tmp_path / "a", member)


def test_an_error_of_the_disk_is_not_taken_for_a_damaged_archive(tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(b"yes")
    with pytest.raises(OSError, match="No space left"), open_member(tmp_path / "p"):
        raise OSError(28, "No space left on device")


def test_sides_of_different_length_are_refused_with_both_counts(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r":en has 3 lines, .*:de has 2;"):
        extracted(tmp_path, b"a\nb\nc\n", b"a\nb\n")
    with pytest.raises(ValueError, match=r":en has 1 lines, .*:de has 2;"):
        extracted(tmp_path, b"a\n", b"a\nb\n")
    assert not list((tmp_path / "raw").iterdir())


def test_invalid_utf8_is_named_by_file_line_and_byte(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"text\.tgz:de, line 2, byte 3: 0xff is not UTF-8"):
        extracted(tmp_path, b"a\nb\n", b"a\nxx\xff\n")


def test_a_nul_byte_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r":en, line 1, byte 2: a NUL byte"):
        extracted(tmp_path, b"a\0\n", b"a\n")


def test_marks_and_line_ends_of_other_systems_are_removed(tmp_path: Path) -> None:
    extracted(tmp_path, b"\xef\xbb\xbfa\r\nb\rc\r\n", "a\u2028b\n\ufeffc".encode())
    assert list(read_lines(tmp_path / "raw" / "train.en")) == ["a", "b c"]
    assert list(read_lines(tmp_path / "raw" / "train.de")) == ["a\u2028b", "\ufeffc"]


def test_an_empty_line_stays_in_raw_text(tmp_path: Path) -> None:
    assert extracted(tmp_path, b"a\n\nb\n", b"a\nb\nc\n") == {"train": 3}


def test_a_line_count_other_than_described_is_refused(tmp_path: Path) -> None:
    splits = {"train": (Part(archive="text", member="{language}", lines=3),)}
    with pytest.raises(ValueError, match=r"have 2 lines, but corpora\.yaml says 3"):
        extracted(tmp_path, b"a\nb\n", b"a\nb\n", splits=splits)


def test_declared_trailing_empty_lines_are_left_out(tmp_path: Path) -> None:
    part = Part(archive="text", member="{language}", lines=1, trailing_empty_lines=1)
    assert extracted(tmp_path, b"a\n\n", b"a\n\n", splits={"train": (part,)}) == {"train": 1}
    with pytest.raises(ValueError, match=r"line 2: must be empty, as corpora\.yaml says"):
        extracted(tmp_path, b"a\nb\n", b"a\n\n", splits={"train": (part,)})


def test_of_n_training_pairs_one_is_kept_after_the_split(tmp_path: Path) -> None:
    text = b"".join(b"%d\n" % i for i in range(1, 11))
    counts = extracted(tmp_path, text, text, held_out=HeldOut(split="dev", every=3), one_in=2)
    assert counts == {"train": 3, "dev": 3}
    assert list(read_lines(tmp_path / "raw" / "train.de")) == ["2", "5", "8"]
    assert list(read_lines(tmp_path / "raw" / "dev.de")) == ["3", "6", "9"]


def test_iwslt_files_are_read_as_fairseq_reads_them() -> None:
    xml = ["<doc>", '<seg id="12">  It’s &amp; that. </seg>', "</doc>"]
    assert list(iwslt_xml(iter(xml))) == ["It's &amp; that."]
    tags = ["<url>x</url>", "<title>A title</title>", "<talkid>1</talkid>", "Text’s"]
    assert list(iwslt_tags(iter(tags))) == ["A title", "Text’s"]
