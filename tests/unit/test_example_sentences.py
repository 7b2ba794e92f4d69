"""Sentences of the test set stand beside their translations, where these are stored."""

from pathlib import Path

import invented
import pytest

from deepmt.base.files import sha256, write_json
from deepmt.data.raw_corpus import RawCorpus
from deepmt.report.example_sentences import example_sentences
from deepmt.report.page.render import template

SPEC = invented.SPECS["p.r1"]
LINES = [f"sentence {number}" for number in range(12)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two systems that train, of which the second one stored no translation."""
    for row in ("p.r1", "p.r2"):
        path = invented.write_result(tmp_path, invented.record(row, 1, bleu=30.0))
        if row == "p.r1":
            text = "".join(f"ours of {line}\n" for line in LINES)
            stored = path.parent / "hyp.test.txt"
            stored.write_text(text)
            record(path, hypotheses={"test": sha256(stored)})
    return tmp_path


def record(path: Path, **changes: dict[str, object]) -> None:
    path.write_text(invented.line(invented.record("p.r1", 1, bleu=30.0, **changes)))


def raw(root: Path, lines: int = 12) -> None:
    folder = root / "data/raw" / SPEC.data.corpus
    folder.mkdir(parents=True)
    for language in (SPEC.data.source, SPEC.data.target):
        text = "".join(f"{language} {line}\n" for line in LINES[:lines])
        (folder / f"test.{language}").write_text(text)
    RawCorpus(folder).describe({"test": lines}, SPEC.data.languages)


def found(root: Path):
    known = invented.results(root, depths={"shallow": 2})
    return example_sentences(invented.PAPER.tables[0].rows, known, root)


def test_five_sentences_are_shown_with_what_is_stored(root: Path) -> None:
    raw(root)
    examples = found(root)
    assert [one["source"] for one in examples] == [
        f"{SPEC.data.source} sentence {number}" for number in (0, 2, 4, 7, 9)
    ]
    depth = f"{SPEC.encoder.layers}+{SPEC.decoder.layers}"
    assert examples[1] == {
        "source": f"{SPEC.data.source} sentence 2",
        "reference": f"{SPEC.data.target} sentence 2",
        # Two rows of one run; the other one stored nothing.
        f"{depth} {invented.ROWS[0].label}": "ours of sentence 2",
        f"{depth} {invented.ROWS[5].label}": "ours of sentence 2",
    }


def test_a_translation_that_was_edited_is_refused_by_name(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw(root)
    [path] = root.glob("results/runs/*/seed1/hyp.test.txt")
    assert len(found(root)) == 5
    path.write_text(path.read_text().replace("ours of", "better than"))
    assert found(root) == []
    assert f"refused: {path} is damaged" in capsys.readouterr().err


def test_a_reference_that_was_edited_is_refused_by_name(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw(root)
    [stored] = root.glob("results/runs/*/seed1/hyp.test.txt")
    reference = root / "data/raw" / SPEC.data.corpus / f"test.{SPEC.data.target}"
    record(
        stored.with_name("record.json"),
        hypotheses={"test": sha256(stored)},
        references={"test": {"reference": sha256(reference)}},
    )
    assert len(found(root)) == 5
    reference.write_text(stored.read_text())
    RawCorpus(reference.parent).describe({"test": 12}, SPEC.data.languages)
    assert found(root) == []
    assert f"refused: {reference} is damaged" in capsys.readouterr().err


@pytest.mark.parametrize("side", SPEC.data.languages)
def test_a_text_that_was_edited_is_refused_by_name(
    root: Path, capsys: pytest.CaptureFixture[str], side: str
) -> None:
    raw(root)
    edited = root / "data/raw" / SPEC.data.corpus / f"test.{side}"
    edited.write_text(edited.read_text().replace("sentence 2", "sentence two"))
    assert found(root) == []
    assert f"refused: {edited} is damaged" in capsys.readouterr().err


def test_the_text_of_an_earlier_version_has_no_hashes_to_compare(root: Path) -> None:
    raw(root)
    write_json(root / "data/raw" / SPEC.data.corpus / "counts.json", {"pairs": {"test": 12}})
    assert len(found(root)) == 5


def test_a_short_text_shows_each_sentence_once(root: Path) -> None:
    raw(root, lines=3)
    assert len(found(root)) == 3


def test_without_the_text_of_the_corpus_nothing_is_shown(root: Path) -> None:
    assert found(root) == []


def test_a_sentence_from_right_to_left_is_set_so() -> None:
    said = template("sentences.html.j2").render(examples=[{"reference": "(\u05e9)."}])
    assert '<td dir="auto">(\u05e9).</td>' in said


def test_the_exponent_of_a_name_is_raised() -> None:
    said = template("sentences.html.j2").render(examples=[{"DS-Init, l^-1/4": "a < b"}])
    assert "DS-Init, l<sup>-1/4</sup></th>" in said
    assert "a &lt; b" in said
