"""Tests say which systems of a table differ, and which were never run."""

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import invented
import pytest

import job_files
from deepmt.base.files import sha256, write_json
from deepmt.data.dataset import Dataset
from deepmt.data.manifest import SplitSizes
from deepmt.judge import significance
from deepmt.judge.significance import RowComparison, compare_all, compare_rows
from deepmt.measured.hypotheses import path_of, write_hypotheses
from deepmt.measured.table import Measured
from deepmt.measured.translations import Translation, translations_of
from deepmt.scores.scored_texts import reference_files
from deepmt.study.papers import Column, Row, Table

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
    write_json(tmp_path / "data/raw/toy/counts.json", {})
    splits = {"test": SplitSizes(sentences=0, tokens={}, unknown={})}
    described = job_files.manifest(splits=splits)
    described.write(tmp_path / f"data/encoded/{spec.dataset}/manifest.json")
    keep(tmp_path, 0, 1, BAD)
    keep(tmp_path, 1, 1, BAD, failure={"update": 9, "reason": "loss is nan"}, outcome="diverged")
    keep(tmp_path, 1, 2, GOOD)
    return tmp_path


def write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))


def keep(folder: Path, row: int, seed: int, lines: list[str], **changes: object) -> None:
    """A seed's record and translation; the reference is written."""
    spec = SPECS["p.t1.a"]
    read = reference_files(Dataset(folder / "data/encoded" / spec.dataset, spec.data), "test")
    changes |= {"references": {"test": {name: sha256(path) for name, path in read.items()}}}
    scores = {"test": {"bleu_tok": {"value": 1.0, "signature": "s"}}}
    record = invented.record(list(invented.SPECS)[row], seed, scores=scores, **changes)
    path = invented.write_result(folder, record)
    for name in ("hyp.test.tok.txt", "hyp.test.txt"):
        write(path.with_name(name), lines)
    sums = {name: sha256(path.with_name(name)) for name in ("hyp.test.tok.txt", "hyp.test.txt")}
    job_files.decoded("test", sha256=sums).write(path.with_name("decoding.test.json"))


def known(places: Path) -> Measured:
    return replace(invented.results(places), rows={row: spec.run for row, spec in SPECS.items()})


def translations(places: Path) -> list[Translation]:
    where = known(places), places / "results", places
    return [next(translations_of(row, COLUMN, *where)) for row in ROWS]


def pairs_of(
    places: Path, column: Column = COLUMN, found: Sequence[Translation] = ()
) -> dict[tuple[str, str], RowComparison]:
    compared = compare_all(found or translations(places), column, places / "results")
    return {(pair.row, pair.against): pair for pair in compared}


def test_the_first_finished_seed_represents_a_system(places) -> None:
    found = translations(places)
    assert [t.record and t.record.seed for t in found] == [1, 2, None]
    assert found[2].missing == "not run"


@pytest.mark.parametrize("name", ["hyp.test.tok.txt", "hyp.test.txt"])
def test_a_translation_that_was_edited_is_not_compared(places: Path, name: str) -> None:
    [path] = places.glob(f"results/runs/{SPECS['p.t1.a'].run}/seed1/{name}")
    write(path, GOOD)
    assert f"{name} is damaged" in translations(places)[0].missing


@pytest.mark.parametrize("folder", ["raw/toy", f"encoded/{SPECS['p.t1.a'].dataset}/tok"])
def test_a_reference_that_was_edited_is_not_compared_with(places: Path, folder: str) -> None:
    write(places / "data" / folder / "test.de", GOOD)
    for found in translations(places)[:2]:
        assert re.search(r"test\.de is damaged: .*; put back the reference", found.missing)


def test_a_better_system_has_a_plus_and_the_worse_one_a_minus(places) -> None:
    pairs = pairs_of(places)
    assert (pairs["a", "b"].ours, pairs["b", "a"].ours) == ("-", "+")
    assert pairs["a", "b"].p_value == pairs["b", "a"].p_value < 0.05
    assert "bs:1000" in pairs["a", "b"].signature


def test_where_less_is_better_the_marks_are_reversed(places) -> None:
    ter = Column(key="ter", label="TER", unit="TER", measure="ter", better="lower")
    pairs = pairs_of(places, ter)
    assert pairs["b", "a"].score < pairs["b", "a"].score_against
    assert pairs["b", "a"].ours == "+"


def test_where_the_caption_names_pairs_these_alone_are_compared(places) -> None:
    rows = [replace(row, significance={}) for row in ROWS]
    rows[1] = replace(rows[1], beats=("p.t1.a",))
    found = [replace(t, row=row) for t, row in zip(translations(places), rows, strict=True)]
    pairs = {key: pair.ours for key, pair in pairs_of(places, found=found).items()}
    assert pairs == {("a", "b"): "-", ("b", "a"): "+"}


def test_a_system_that_was_not_run_is_not_compared_and_says_why(places) -> None:
    pairs = pairs_of(places)
    assert len(pairs) == 6
    pair = pairs["b", "c"]
    assert (pair.ours, pair.p_value, pair.note) == ("", None, "c: not run")


def test_systems_of_different_test_sets_are_not_compared(places) -> None:
    bad, good, _ = translations(places)
    longer = asdict(good.texts) | {"tokenised_reference": [*REFERENCE[1:], "Ende"]}
    other = Translation(row=ROWS[1], texts=type(good.texts)(**longer))
    pairs = pairs_of(places, found=[bad, other])
    assert {pair.note for pair in pairs.values()} == {"another test set"}


def test_a_bad_translation_is_refused_by_name(places) -> None:
    path = places / "results/runs" / SPECS["p.t1.a"].run / "seed1" / "hyp.test.tok.txt"
    write(path, GOOD[:-1])
    sums = {file.name: sha256(file) for file in path.parent.glob("hyp.*")}
    job_files.decoded("test", sha256=sums).write(path.with_name("decoding.test.json"))
    assert f"{path} (hypotheses) has 39 lines and" in translations(places)[0].missing


def table(*rows: Row) -> Table:
    ter = Column(key="ter", label="TER", unit="TER", measure="ter", better="lower")
    columns = {"bleu": COLUMN, "ter": ter, "size": invented.COLUMNS["params_m"]}
    return Table(id="p.table1", number=1, caption="", columns=columns, rows=rows)


def compared(places: Path) -> dict[tuple[str, str, str], RowComparison]:
    found = compare_rows(table(*ROWS), known(places), places / "results", places)
    return {(p.column, p.row, p.against): p for p in found}


def test_scores_of_a_table_that_prints_marks_are_compared_and_no_others(places: Path) -> None:
    assert {(c, p.ours) for (c, a, b), p in compared(places).items() if (a, b) == ("b", "a")} == {
        ("bleu", "+"),
        ("ter", "+"),
    }
    plain = table(*(replace(row, significance={}) for row in ROWS))
    assert compare_rows(plain, known(places), places / "results", places) == []


def test_a_second_time_nothing_is_sampled(places: Path, monkeypatch) -> None:
    found = compared(places)
    monkeypatch.setattr(significance, "PairedTest", None)
    assert compared(places) == found
    files = sorted((places / "results/significance").iterdir())
    assert len(files) == 2
    files[0].write_text("half")
    with pytest.raises(TypeError):
        compared(places)


def test_a_recorded_seed_is_compared_by_scores_that_take_no_tokens(places: Path) -> None:
    """Its raw translation is kept, and its tokens are not."""
    [path] = places.glob(f"results/runs/{SPECS['p.t1.a'].run}/seed1/record.json")
    record = json.loads(path.read_text()) | {
        "hypotheses": {"test": sha256(path.with_name("hyp.test.txt"))}
    }
    invented.write_archive(places, record)
    write_hypotheses({"test": BAD}, record["run"], 1, places / "records")
    before = compared(places)
    shutil.rmtree(path.parent)
    found = compared(places)
    assert found["ter", "a", "b"] == before["ter", "a", "b"]
    assert found["ter", "a", "b"].ours == "-"
    why = "a: recorded in records/, which contains no tokenised translation"
    assert (found["bleu", "a", "b"].ours, found["bleu", "a", "b"].note) == ("", why)
    path_of(places / "records", record["run"], 1).write_bytes(b"")
    assert "is missing or damaged" in compared(places)["ter", "a", "b"].note
