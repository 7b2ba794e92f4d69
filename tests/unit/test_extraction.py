"""Formats of public corpora, and what is wrong with some of their files."""

import gzip
import io
import json
from itertools import chain, repeat
from pathlib import Path

import pytest
from archive_files import zip_of

from deepmt.data import lines
from deepmt.data.extraction import compound_marks, extract, sgm
from deepmt.data.lines import read_lines
from deepmt.settings.corpora import Corpus, Part
from tiny_runs import run_here

TEXTS = dict.fromkeys(("title", "licence", "citation", "note"), "")


def corpus(*parts: Part, source: str = "en", target: str = "de", **changes: object) -> Corpus:
    return Corpus(source=source, target=target, splits={"train": parts}, **TEXTS, **changes)  # type: ignore[arg-type]


def plain(folder: Path, **sides: str) -> dict[str, Path]:
    for name, text in sides.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return {name: folder / name for name in sides}


def raw(folder: Path, name: str) -> list[str]:
    return list(read_lines(folder / "raw" / name))


def test_segments_of_sgml_are_read_as_moses_reads_them() -> None:
    lines = [
        '<srcset setid="x"><doc docid="a">',
        '<seg id="1">  One &amp;  two. </seg>',
        "<hl>",
        '<SEG id="2">Broken',
        "over lines.</SEG>",
        "</doc>",
    ]
    assert list(sgm(iter(lines))) == ["One &amp; two.", "Brokenover lines."]


@pytest.mark.parametrize("mark", ["\u2028", "\u0085", "\u00a0"])
def test_unusual_white_space_within_a_segment_stays(mark: str) -> None:
    assert list(sgm(iter([f"<seg id='1'>a{mark}b</seg>"]))) == [f"a{mark}b"]


def test_a_segment_without_an_end_is_an_error(tmp_path: Path) -> None:
    archives = plain(tmp_path, en="<seg id='1'>a\n", de="<seg id='1'>a</seg>\n")
    with pytest.raises(ValueError, match=r"/en: a segment has no </seg>: <seg id='1'>a"):
        extract(corpus(Part(archive="{language}", format="sgm")), archives, tmp_path / "raw")


def test_a_line_without_an_end_is_refused_before_it_is_read(monkeypatch) -> None:
    monkeypatch.setattr(lines, "LONGEST", 1000)
    stream = io.BytesIO(b"a" * 1000 + b"\n" + b"a" * 10**6)
    found = lines.decode_lines(stream, "z:t.gz")
    assert len(next(found)) == 999 + 1
    with pytest.raises(ValueError, match=r"z:t\.gz, line 2: has more than 1,000 bytes; break it"):
        next(found)
    assert stream.tell() == 1001 + 1001


def test_a_segment_of_many_lines_without_an_end_is_refused_before_it_is_held() -> None:
    endless = chain(["<seg id='1'>"], repeat("a" * 2**20))
    with pytest.raises(ValueError, match="a segment has no </seg>"):
        next(sgm(endless))


def test_stanford_s_mark_of_a_split_hyphen_becomes_moses() -> None:
    assert list(compound_marks(iter(["rich ##AT##-##AT## text"]))) == ["rich @-@ text"]


def test_names_of_members_may_depend_on_side_and_language(tmp_path: Path) -> None:
    zip_of(tmp_path / "z", {"csen-src.cz": b"zdroj\n", "csen-ref.en": b"source\n"})
    part = Part(
        archive="z", member="{source}{target}-{side}.{language}".replace("{source}", "cs"),
        codes={"cs": "cz"},
    )  # fmt: skip
    extract(corpus(part, source="cs", target="en"), {"z": tmp_path / "z"}, tmp_path / "raw")
    assert (raw(tmp_path, "train.cs"), raw(tmp_path, "train.en")) == (["zdroj"], ["source"])


def columns(folder: Path, text: str, **numbers: int) -> dict[str, int]:
    (folder / "t.gz").write_bytes(gzip.compress(text.encode()))
    part = Part(archive="t.gz", columns=numbers)
    source, target = numbers
    pair = corpus(part, source=source, target=target)
    return extract(pair, {"t.gz": folder / "t.gz"}, folder / "raw")


def test_columns_are_sides(tmp_path: Path) -> None:
    assert columns(tmp_path, "这 是\tthis is\textra\n" * 3, zh=1, en=2) == {"train": 3}
    assert raw(tmp_path, "train.zh") == ["这 是"] * 3
    assert raw(tmp_path, "train.en") == ["this is"] * 3


def test_exchanged_columns_are_noticed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"column of en has 6 letters beyond ASCII .* of zh 0: sw"):
        columns(tmp_path, "这 是\tthis is\n" * 3, zh=2, en=1)


def test_a_line_without_the_column_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"t\.gz, line 2: has 1 columns, .* column 2"):
        columns(tmp_path, "这\tthis\n是\n", zh=1, en=2)


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\x1e"])
def test_only_a_line_feed_ends_a_line(tmp_path: Path, mark: str) -> None:
    archives = plain(tmp_path, en=f"a{mark}b\n", de="c\n")
    assert extract(corpus(Part(archive="{language}")), archives, tmp_path / "raw") == {"train": 1}
    assert raw(tmp_path, "train.en") == [f"a{mark}b"]


def test_counts_say_what_came_tokenised(tmp_path: Path) -> None:
    archives = plain(tmp_path, en="a\n", de="b\n")
    extract(corpus(Part(archive="{language}"), tokens=("train",)), archives, tmp_path / "raw")
    counts = json.loads((tmp_path / "raw" / "counts.json").read_text())
    assert counts["tokens"] == ["train"]


def test_another_file_than_the_archive_is_refused_before_it_is_read(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    (tmp_path / "toy.tar.xz").write_bytes((root / "corpora/toy.tar.xz").read_bytes()[:-1] + b"?")
    flags = ["--corpora-file", root / "corpora.yaml", "--corpus", "toy.en-de"]
    flags += ["--archives", tmp_path / "toy.tar.xz", "--output-dir", tmp_path / "raw"]
    with pytest.raises(ValueError, match=r"toy\.tar\.xz is damaged: expected sha256 .*; delete it"):
        run_here("jobs.extract", *map(str, flags))
    assert not (tmp_path / "raw").exists()
