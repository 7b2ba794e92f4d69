"""Tokenising and cleaning by shards: the same bytes however many processes take part."""

import dataclasses
from pathlib import Path

import pytest

from deepmt.base.errors import UserError
from deepmt.data import line_batches
from deepmt.data.cleaning import segment_and_clean, tokenise_split
from deepmt.data.lines import read_lines
from deepmt.data.subword import Bpe, learn
from deepmt.data.tokeniser import Tokeniser
from deepmt.settings.spec import Data
from deepmt.settings.text_steps import TextSteps

STEPS = TextSteps(aggressive=True, max_tokens=6)


def written(folder: Path, pairs: list[tuple[str, str]]) -> dict[str, Path]:
    for side, language in enumerate(("de", "en")):
        text = "".join(f"{pair[side]}\n" for pair in pairs)
        (folder / f"raw.{language}").write_text(text, encoding="utf-8", newline="\n")
    return {language: folder / f"raw.{language}" for language in ("de", "en")}


def invented() -> list[tuple[str, str]]:
    pairs = [("Das Haus\u2028 Nr. 3-4.", "The house, no. 3-4."), ("", "x"), ("\u00a0a b", "c\td")]
    pairs += [(f"Satz {i}" + " x" * (i % 7), f"Line {i}" + " y" * (i % 5)) for i in range(40)]
    return pairs


@pytest.mark.parametrize("clean", [True, False])
def test_processes_and_shards_change_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clean: bool
) -> None:
    raw = written(tmp_path, invented())
    results = []
    for processes, lines in ((1, 1000), (1, 7), (2, 7), (3, 1), (3, 13)):
        monkeypatch.setattr(line_batches, "LINES", lines)
        output = {language: tmp_path / f"{processes}.{lines}.{language}" for language in raw}
        counts = tokenise_split(STEPS, raw, output, clean=clean, processes=processes)
        results.append((counts, [path.read_bytes() for path in output.values()]))
    assert all(result == results[0] for result in results)
    assert ("ratio" in results[0][0]) == clean


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("wrong", ["\0", "stop"])
def test_a_line_that_stops_a_process_is_named_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int, wrong: str
) -> None:
    monkeypatch.setattr(line_batches, "LINES", 7)
    monkeypatch.setattr(Tokeniser, "tokenise", refusing)
    pairs = invented()
    pairs[33] = ("ok", wrong)
    output = {language: tmp_path / "tok" / f"train.{language}" for language in ("de", "en")}
    with pytest.raises(UserError, match=r"raw\.en, line 34[:,]"):
        tokenise_split(STEPS, written(tmp_path, pairs), output, clean=True, processes=processes)
    assert list((tmp_path / "tok").iterdir()) == []


def refusing(_: Tokeniser, line: str) -> str:
    if line == "stop":
        raise IndexError("list index out of range")
    return line


def test_cleaning_can_count_subwords_and_keeps_both_forms_of_a_pair(tmp_path: Path) -> None:
    # As tokens all of these are short; as subwords, foreign words fall into letters.
    pairs = [
        ("haus boot", "hausboot boot"),
        ("haus", "xyz"),
        ("boot", "haus boot"),
        ("uvw xyz", "abcdef"),
    ]
    (tmp_path / "train").write_text("haus hausboot boot boot\n" * 5)
    settings = Data(corpus="c", source="de", target="en", merges=50)
    learn(settings, {"de": tmp_path / "train"}, tmp_path)
    bpe = Bpe(tmp_path / "codes.joint")
    tokens = written(tmp_path, pairs)
    output = [tmp_path / name for name in ("tok.de", "tok.en", "bpe.de", "bpe.en")]
    steps = dataclasses.replace(STEPS, clean_on="subwords", max_tokens=5)
    counts = segment_and_clean(steps, [bpe, bpe], tokens, output)
    assert [list(read_lines(path)) for path in output[:2]] == [["haus boot"], ["hausboot boot"]]
    assert counts == {"kept": 1, "ratio": 2, "too_long": 1}
    assert [list(map(bpe.undo, read_lines(path))) for path in output[2:]] == [
        list(read_lines(path)) for path in output[:2]
    ]
