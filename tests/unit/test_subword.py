"""Subwords, against subword-nmt's own programs."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepmt.data import line_batches, subword
from deepmt.data.lines import read_lines
from deepmt.data.subword import Bpe, learn, load_segmenter, segment_file
from deepmt.settings.spec import Data

ENGLISH = ["low lower lowest", "new newer newest", "wide wider widest"] * 5
GERMAN = ["niedrig niedriger", "neu neuer neueste", "weit weiter weiteste"] * 5


def data(**changes: object) -> Data:
    settings = {"corpus": "c", "source": "en", "target": "de", "merges": 40, **changes}
    return Data(**settings)  # type: ignore[arg-type]


def training(folder: Path) -> dict[str, Path]:
    for language, lines in (("en", ENGLISH), ("de", GERMAN)):
        (folder / f"train.{language}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {language: folder / f"train.{language}" for language in ("en", "de")}


@pytest.fixture(scope="module")
def codes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The merges of both sides together."""
    folder = tmp_path_factory.mktemp("codes")
    learn(data(), training(folder), folder)
    return folder / "codes.joint"


def subword_nmt(*arguments: object, text: bytes = b"") -> bytes:
    """What subword-nmt's program writes."""
    program = "from subword_nmt.subword_nmt import main; main()"
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, input=text, check=True, capture_output=True).stdout


@pytest.mark.parametrize("processes", [1, 2])
def test_codes_counts_and_text_are_those_of_subword_nmts_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    monkeypatch.setattr(line_batches, "LINES", 5)
    files = training(tmp_path)
    theirs = {language: tmp_path / f"theirs.{language}" for language in files}
    paths = ["--input", *files.values(), "--write-vocabulary", *theirs.values()]
    joint = ["learn-joint-bpe-and-vocab", *paths, "-s", 40, "-o", tmp_path / "codes"]
    subword_nmt(*joint)
    settings = data(threshold=6)
    learn(settings, files, tmp_path, processes)
    assert (tmp_path / "codes.joint").read_bytes() == (tmp_path / "codes").read_bytes()

    text = tmp_path / "text"
    lines = [*GERMAN, "", "  neu \u00a0 weit", "a\tneuer  ", *ENGLISH]
    text.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    for language in files:
        pieces = sorted(read_lines(tmp_path / f"pieces.{language}"))
        assert pieces == sorted(read_lines(theirs[language]))
        limit = ["--vocabulary", theirs[language], "--vocabulary-threshold", 6]
        cut = subword_nmt("apply-bpe", "-c", tmp_path / "codes", *limit, text=text.read_bytes())
        ours = tmp_path / "ours"
        segment_file(load_segmenter(settings, tmp_path.joinpath, language), text, ours, processes)
        assert ours.read_bytes() == cut


def test_a_full_memory_of_words_is_emptied(codes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = ["low lowest new", "newest low wide"] * 2
    expected = list(map(Bpe(codes).segment, text))
    monkeypatch.setattr(subword, "CACHED_WORDS", 2)
    assert list(map(Bpe(codes).segment, text)) == expected


@given(st.lists(st.text(alphabet="lowernist", min_size=1, max_size=12), max_size=8))
def test_undoing_gives_the_words_back(codes: Path, tokens: list[str]) -> None:
    line = " ".join(tokens)
    assert Bpe(codes).undo(Bpe(codes).segment(line)) == line


def test_words_without_pairs_are_refused(tmp_path: Path) -> None:
    (tmp_path / "train.en").write_text("a b\na c\n")
    with pytest.raises(ValueError, match="two or more characters"):
        learn(data(joint=False), {"en": tmp_path / "train.en"}, tmp_path)


@pytest.mark.parametrize("joint", [True, False])
def test_sentencepiece_gives_the_text_back(tmp_path: Path, joint: bool) -> None:
    settings = data(subword="sentencepiece", merges=30, joint=joint)
    learn(settings, training(tmp_path), tmp_path)
    segmenter = load_segmenter(settings, tmp_path.joinpath, "de")
    cut = segmenter.segment("weiter niedriger")
    assert len(cut.split(" ")) > 2
    assert segmenter.undo(cut) == "weiter niedriger"


def test_without_subwords_words_stay(tmp_path: Path) -> None:
    segmenter = load_segmenter(data(subword="none"), tmp_path.joinpath, "de")
    assert segmenter.segment(" ein  Haus ") == "ein Haus"
    assert segmenter.undo("ein Haus") == "ein Haus"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"merges": 0}, "merges=0 must be at least 1"),
        ({"threshold": -1}, "greater than or equal to 0"),
        ({"subword": "sentencepiece", "threshold": 5}, "threshold=5 needs subword=bpe"),
    ],
)
def test_impossible_settings_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        data(**changes)
