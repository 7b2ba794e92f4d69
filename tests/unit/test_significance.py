"""Tests say which systems of a table differ, and which were never run."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import invented
import pytest

from deepmt.base.errors import UserError
from deepmt.base.files import sha256, write_hashed_json
from deepmt.judge.significance import compare_all
from deepmt.measured.translations import Translation, translations_of
from deepmt.scores.scored_texts import reference_files
from deepmt.study.papers import Column, Row
from jobs import significance
from projects import ROOT

REFERENCE = [f"Satz {i} hat {i * i} Wörter und endet hier" for i in range(40)]
GOOD, BAD = [*REFERENCE[:39], "Ende"], [line.replace("Wörter und", "Worte") for line in REFERENCE]
COLUMN = Column(key="bleu", label="BLEU", unit="BLEU", measure="bleu_tok", better="higher")
ROWS = (
    Row(id="p.t1.a", label="a:6L-6L", status="trained", system="a", values={"bleu": 1.0},
        significance={"b": "-", "c": "-"}),
    Row(id="p.t1.b", label="b:12L", status="trained", system="b", values={"bleu": 2.0},
        significance={"a": "+", "c": "="}),
    Row(id="p.t1.c", label="c:18L", status="trained", system="c", values={"bleu": 3.0}),
)  # fmt: skip
SPECS = dict(zip((row.id for row in ROWS), list(invented.SPECS.values())[:3], strict=True))


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """Row a translates badly, row b well by its second seed, row c was not run."""
    spec = SPECS["p.t1.a"]
    for folder in ("raw/toy", f"encoded/{spec.dataset}/tok"):
        write(tmp_path / "data" / folder / "test.de", REFERENCE)
    keep(tmp_path, 0, 1, BAD)
    keep(tmp_path, 1, 1, BAD, failure={"update": 9, "reason": "loss is nan"}, outcome="diverged")
    keep(tmp_path, 1, 2, GOOD)
    return tmp_path


def write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))


def keep(folder: Path, row: int, seed: int, lines: list[str], **changes: object) -> None:
    """A seed's record and translation; the reference is written."""
    read = reference_files(
        folder / "data/encoded" / SPECS["p.t1.a"].dataset, SPECS["p.t1.a"].data, "test"
    )
    changes |= {"references": {"test": {name: sha256(path) for name, path in read.items()}}}
    scores = {"test": {"bleu_tok": {"value": 1.0, "signature": "s"}}}
    record = invented.record(list(invented.SPECS)[row], seed, scores=scores, **changes)
    path = invented.write_result(folder, record)
    for name in ("hyp.test.tok.txt", "hyp.test.txt"):
        write(path.with_name(name), lines)
    sums = {name: sha256(path.with_name(name)) for name in ("hyp.test.tok.txt", "hyp.test.txt")}
    write_hashed_json(path.with_name("decoding.test.json"), {"sha256": sums})


def translations(places: Path) -> list[Translation]:
    known = invented.results(places)
    known = replace(known, rows={row: spec.run for row, spec in SPECS.items()})
    folders = places / "results", places / "data"
    return [next(translations_of(row, COLUMN, known, *folders)) for row in ROWS]


def test_the_first_finished_seed_represents_a_system(places) -> None:
    found = translations(places)
    assert [(t.name, t.record and t.record.seed) for t in found] == [
        ("a", 1),
        ("b", 2),
        ("c", None),
    ]
    assert found[2].missing == "not run"


@pytest.mark.parametrize("name", ["hyp.test.tok.txt", "hyp.test.txt"])
def test_a_translation_that_was_edited_is_not_compared(places: Path, name: str) -> None:
    [path] = places.glob(f"results/runs/{SPECS['p.t1.a'].run}/seed1/{name}")
    write(path, GOOD)
    with pytest.raises(UserError, match=rf"{name} is damaged"):
        translations(places)


@pytest.mark.parametrize("folder", ["raw/toy", f"encoded/{SPECS['p.t1.a'].dataset}/tok"])
def test_a_reference_that_was_edited_is_not_compared_with(places: Path, folder: str) -> None:
    write(places / "data" / folder / "test.de", GOOD)
    with pytest.raises(UserError, match=r"test\.de is damaged: .*; put back the reference"):
        translations(places)


def test_a_better_system_has_a_plus_and_the_worse_one_a_minus(places) -> None:
    pairs = {(p.row, p.against): p for p in compare_all(translations(places), COLUMN)}
    assert (pairs["a", "b"].ours, pairs["b", "a"].ours) == ("-", "+")
    assert pairs["a", "b"].p_value == pairs["b", "a"].p_value < 0.05
    assert (pairs["a", "b"].printed, pairs["b", "a"].printed) == ("-", "+")
    assert "bs:1000" in pairs["a", "b"].signature


def test_where_less_is_better_the_marks_are_reversed(places) -> None:
    ter = Column(key="ter", label="TER", unit="TER", measure="ter", better="lower")
    pairs = {(p.row, p.against): p for p in compare_all(translations(places), ter)}
    assert pairs["b", "a"].score < pairs["b", "a"].score_against
    assert pairs["b", "a"].ours == "+"


def test_where_the_caption_names_pairs_these_alone_are_compared(places) -> None:
    rows = [replace(row, significance={}) for row in ROWS]
    rows[1] = replace(rows[1], beats=("p.t1.a",))
    found = [replace(t, row=row) for t, row in zip(translations(places), rows, strict=True)]
    pairs = {(p.row, p.against): p.printed for p in compare_all(found, COLUMN)}
    assert pairs == {("a", "b"): "-", ("b", "a"): "+"}


def test_a_system_that_was_not_run_is_not_compared_and_says_why(places) -> None:
    pairs = {(p.row, p.against): p for p in compare_all(translations(places), COLUMN)}
    assert len(pairs) == 6
    pair = pairs["b", "c"]
    assert (pair.ours, pair.p_value, pair.printed, pair.note) == ("", None, "=", "c: not run")


def test_systems_of_different_test_sets_are_not_compared(places) -> None:
    bad, good, _ = translations(places)
    longer = asdict(good.texts) | {"tokenised_reference": [*REFERENCE[1:], "Ende"]}
    other = Translation(row=ROWS[1], texts=type(good.texts)(**longer))
    assert {pair.note for pair in compare_all([bad, other], COLUMN)} == {"another test set"}


def args(folder: Path, table: str) -> dict[str, Any]:
    return {
        "table": table,
        "scale": "toy",
        "results": folder / "results",
        "output": folder / "pairs.csv",
        "root": ROOT,
        "data": folder / "data",
    }


def test_the_script_ends_with_an_error_and_no_file_where_there_is_no_such_table(tmp_path) -> None:
    with pytest.raises(ValueError, match=r"did you mean 'liu2020\.table3'"):
        significance.main(**args(tmp_path, "liu2020.tabel3"))
    assert [path.name for path in tmp_path.iterdir()] == []


def test_a_table_without_scores_is_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match="has no column that can be resampled"):
        significance.main(**args(tmp_path, "zhang2019.table1"))


def test_a_bad_translation_is_refused_by_name(places) -> None:
    path = places / "results/runs" / SPECS["p.t1.a"].run / "seed1" / "hyp.test.tok.txt"
    write(path, GOOD[:-1])
    write_hashed_json(path.with_name("decoding.test.json"), {"sha256": {path.name: sha256(path)}})
    with pytest.raises(ValueError, match="has 39 lines and") as error:
        translations(places)
    assert str(path) in str(error.value)
