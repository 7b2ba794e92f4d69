"""Subwords, against subword-nmt's own results and fairseq's published ones."""

import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword_nmt import apply_bpe

from deepmt.data import bpe as bpe_module
from deepmt.data import shards
from deepmt.data.archive import open_member
from deepmt.data.bpe import Bpe, codes_of
from deepmt.data.byte_pairs import learn_merges
from deepmt.data.lines import decode_lines, read_lines
from deepmt.data.subword import Subwords, learn, load_segmenter, segment_file
from deepmt.data.words import count_words

SHARED = Path(__file__).parents[2].parent / "shared" / "corpora"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/corpora is absent")

ENGLISH = ["low lower lowest", "new newer newest", "wide wider widest"] * 5
GERMAN = ["niedrig niedriger", "neu neuer neueste", "weit weiter weiteste"] * 5
CODES = codes_of(learn_merges(count_words(ENGLISH + GERMAN), 40))


def training(folder: Path) -> dict[str, Path]:
    for language, lines in (("en", ENGLISH), ("de", GERMAN)):
        (folder / f"train.{language}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {language: folder / f"train.{language}" for language in ("en", "de")}


def gz_lines(path: Path) -> Iterator[str]:
    with open_member(path) as stream:
        yield from decode_lines(stream, str(path))


@needs_shared
def test_merges_and_segmentation_equal_subword_nmts_reference() -> None:
    folder = SHARED / "subword-nmt-reference"
    corpus = list(read_lines(folder / "corpus.en"))
    codes = codes_of(learn_merges(count_words(corpus), 1000))
    assert codes == (folder / "bpe.ref").read_text(encoding="utf-8")
    reference = list(read_lines(folder / "corpus.bpe.ref.en"))
    assert list(map(Bpe(codes).segment, corpus)) == reference


@needs_shared
@pytest.mark.parametrize("name", ["valid.de", "valid.en", "test.de", "test.en"])
def test_fairseqs_iwslt_codes_give_fairseqs_files(name: str) -> None:
    folder = SHARED / "iwslt14.de-en" / "fairseq-split"
    bpe = Bpe("\n".join(gz_lines(folder / "10k_bpe" / "code.gz")) + "\n")
    ours = map(bpe.segment, gz_lines(folder / f"{name}.gz"))
    assert all(
        a == b for a, b in zip(ours, gz_lines(folder / "10k_bpe" / f"{name}.gz"), strict=True)
    )


@given(st.text(alphabet="lowernist @wdüß\u2028\u00a0\u0085\t", max_size=40), st.booleans())
@settings(deadline=None)
def test_every_line_is_cut_as_subword_nmt_cuts_it(line: str, limited: bool) -> None:
    vocabulary = {"low", "n@@", "er", "w@@", "e@@", "st"} if limited else None
    theirs = apply_bpe.BPE(io.StringIO(CODES), vocab=vocabulary)
    assert Bpe(CODES, vocabulary).segment(line) == theirs.process_line(line)


@given(
    st.lists(st.sampled_from([("a", "b"), ("b", "a"), ("ab", "a"), ("a", "a"), ("a", "b</w>")])),
    st.text(alphabet="ab", max_size=20),
    st.sampled_from(["", "#version: 0.2\n"]),
)
@settings(deadline=None)
def test_any_list_of_merges_is_obeyed_as_subword_nmt_does(
    merges: list[tuple[str, str]], word: str, version: str
) -> None:
    codes = version + "".join(f"{left} {right}\n" for left, right in [("b", "b"), *merges])
    assert Bpe(codes).segment(word) == apply_bpe.BPE(io.StringIO(codes)).process_line(word)


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_a_file_is_cut_to_the_bytes_of_subword_nmts_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    monkeypatch.setattr(shards, "LINES", 5)
    lines = [*GERMAN, "", "  neu \u00a0 weit\u2028er", "a\u0085b\tneuer  ", *ENGLISH]
    (tmp_path / "text").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    (tmp_path / "codes").write_text(CODES, encoding="utf-8")
    program = [sys.executable, "-m", "subword_nmt.apply_bpe", "-c", tmp_path / "codes"]
    with (tmp_path / "text").open("rb") as text:
        theirs = subprocess.run(program, stdin=text, stdout=subprocess.PIPE, check=True).stdout
    segment_file(Bpe(CODES), tmp_path / "text", tmp_path / "bpe", processes)
    assert (tmp_path / "bpe").read_bytes() == theirs


def test_a_full_memory_of_words_is_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "low lowest new newest low wide"
    expected = Bpe(CODES).segment(text)
    monkeypatch.setattr(bpe_module, "CACHED_WORDS", 2)
    forgetful = Bpe(CODES)
    assert forgetful.segment(text) == expected
    assert len(forgetful._cut) <= 2


@given(st.lists(st.text(alphabet="lowernist", min_size=1, max_size=12), max_size=8))
@settings(deadline=None)
def test_undoing_gives_the_words_back(tokens: list[str]) -> None:
    line = " ".join(tokens)
    assert Bpe(CODES).undo(Bpe(CODES).segment(line)) == line


@pytest.mark.parametrize("joint", [True, False])
def test_a_threshold_cuts_rare_pieces_as_learn_joint_bpe_and_vocab_does(
    tmp_path: Path, joint: bool
) -> None:
    files = training(tmp_path)
    subwords = Subwords(kind="bpe", merges=40, joint=joint, threshold=6)
    learn(subwords, files, tmp_path)
    codes = (tmp_path / ("codes.joint" if joint else "codes.de")).read_text(encoding="utf-8")
    theirs = apply_bpe.BPE(io.StringIO(codes))
    counts = count_words(theirs.segment(line) for line in GERMAN)
    kept = {piece for piece, count in counts.items() if count >= 6}
    limited = apply_bpe.BPE(io.StringIO(codes), vocab=kept)
    ours = load_segmenter(subwords, tmp_path, "de")
    for line in [*GERMAN, *ENGLISH, "niedrigste x"]:
        assert ours.segment(line) == limited.segment(line)


def test_joint_codes_are_those_of_both_sides_together(tmp_path: Path) -> None:
    subwords = Subwords(kind="bpe", merges=40, joint=True, threshold=0)
    learn(subwords, training(tmp_path), tmp_path)
    assert (tmp_path / "codes.joint").read_text(encoding="utf-8") == CODES


def test_several_processes_learn_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "LINES", 4)
    subwords = Subwords(kind="bpe", merges=40, joint=True, threshold=1)
    learn(subwords, training(tmp_path), tmp_path / "1", 1)
    learn(subwords, training(tmp_path), tmp_path / "2", 2)
    for name in ("codes.joint", "pieces.de", "pieces.en"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


@pytest.mark.parametrize("joint", [True, False])
def test_sentencepiece_gives_the_text_back(tmp_path: Path, joint: bool) -> None:
    subwords = Subwords(kind="sentencepiece", merges=30, joint=joint, threshold=0)
    learn(subwords, training(tmp_path), tmp_path)
    segmenter = load_segmenter(subwords, tmp_path, "de")
    cut = segmenter.segment("weiter niedriger")
    assert len(cut.split(" ")) > 2
    assert segmenter.undo(cut) == "weiter niedriger"


def test_without_subwords_words_stay(tmp_path: Path) -> None:
    segmenter = load_segmenter(
        Subwords(kind="none", merges=0, joint=False, threshold=0), tmp_path, "de"
    )
    assert segmenter.segment(" ein  Haus ") == "ein Haus"
    assert segmenter.undo("ein Haus") == "ein Haus"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"merges": 0}, "merges=0 must be at least 1"),
        ({"threshold": -1}, "threshold=-1 must be 0"),
        ({"kind": "sentencepiece", "threshold": 5}, "threshold=5 needs subword=bpe"),
    ],
)
def test_impossible_settings_are_refused(changes: dict[str, object], message: str) -> None:
    settings = {"kind": "bpe", "merges": 10, "joint": True, "threshold": 0, **changes}
    with pytest.raises(ValueError, match=message):
        Subwords(**settings)  # type: ignore[arg-type]
