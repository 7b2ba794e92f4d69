"""A file of translations is scored beside recorded systems, and never among them."""

import json
from pathlib import Path
from typing import Any

import invented
import made_up
import pytest

import score_file

REFERENCE = ["Der Hund schläft im Garten.", "Ein Mann lacht laut über das Kind."]
ROW = "unified.t1.shallow-post"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with the text of a corpus and a record."""
    root = made_up.project(tmp_path)
    raw = root / "data/raw/toy.en-de"
    raw.mkdir(parents=True)
    (raw / "test.de").write_text("".join(f"{line}\n" for line in REFERENCE))
    (raw / "counts.json").write_text(json.dumps({}))
    spec = made_up.plan_of("unified").specs[ROW]
    with (root / "records/toy.jsonl").open("w") as lines:
        lines.write(invented.line(made_up.record(spec, 1, ())))
    return root


def put(root: Path, lines: list[str]) -> Path:
    path = root / "mine.txt"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def score(root: Path, lines: list[str], **flags: Any) -> None:
    score_file.main(hypotheses=put(root, lines), root=root, **flags)


def test_a_perfect_file_has_100_bleu(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score(root, REFERENCE, corpus="toy.en-de")
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["BLEU", "chrF", "TER"]
    assert lines[2].split() == [*"from outside, translations only".split(), "100.0", "100.0", "0.0"]
    assert lines[3].startswith("BLEU: BLEU|#:1|c:mixed|e:no|tok:13a")


def test_recorded_systems_follow_in_the_order_of_the_tables(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    score(root, REFERENCE, corpus="toy.en-de", scale="toy")
    lines = capsys.readouterr().out.splitlines()
    known = made_up.record(made_up.plan_of("unified").specs[ROW], 1, ())["scores"]["test"]
    assert lines[4].startswith("2+2 post-norm, 1 seed")
    assert lines[4].split()[-3] == f"{known['bleu']['value']:.1f}"
    assert lines[5].startswith("BLEU: ")


def test_another_reference_needs_no_corpus(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = root / "other.ja"
    other.write_text("犬が庭で寝る。\n", encoding="utf-8")
    score(root, ["犬が庭で寝る。"], reference=other, language="ja")
    assert "tok:char" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("lines", "flags", "message"),
    [
        (REFERENCE, {}, "give --corpus, or both --reference and --language"),
        (REFERENCE, {"corpus": "toy.en-fr"}, "unknown corpus 'toy.en-fr'"),
        (REFERENCE, {"corpus": "toy.en-de", "split": "dev"}, "give one of test"),
        (REFERENCE, {"corpus": "multi30k.en-de"}, "build the text: snakemake --cores 1"),
        (REFERENCE[:1], {"corpus": "toy.en-de"}, "has 1 lines"),
        (["Der Hu@@ nd", ""], {"corpus": "toy.en-de"}, "mine.txt, line 1: is cut into subwords"),
    ],
)
def test_what_cannot_be_scored_is_refused(
    root: Path, lines: list[str], flags: dict[str, str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        score(root, lines, **flags)


def test_scale_needs_a_corpus(root: Path) -> None:
    with pytest.raises(ValueError, match="--scale has systems of a --corpus"):
        score(root, REFERENCE, reference=root / "mine.txt", language="de", scale="toy")
