"""Whoever reads a number learns whose text it came from, and on what terms."""

from dataclasses import replace
from pathlib import Path

import invented
import pytest
from full_sizes import CORPORA
from test_statistics import built

from deepmt.judge.cells import all_cells
from deepmt.measured.corpus_terms import terms_of
from deepmt.measured.untrained_values import UntrainedValue
from deepmt.report.page.render import report_page
from deepmt.report.rendered_tables import RenderedTable, render_tables
from deepmt.study.papers import Paper

SYNTHETIC = {
    "bitext_pairs": 20000,
    "synthetic_pairs": 7321,
    "reverse": {"run": "post-6-6", "seed": 3},
}


def rendered(folder: Path, paper: Paper = invented.PAPER, **changes: object) -> RenderedTable:
    known = invented.results(folder, **changes)
    [found] = render_tables(paper, all_cells([paper], known), known, {})
    return found


def test_a_corpus_is_named_once_below_a_table(tmp_path: Path) -> None:
    for row in ("p.r1", "p.r2"):
        invented.write_result(tmp_path, invented.record(row))
    assert rendered(tmp_path).notes.count(*invented.TERMS.texts) == 1


@pytest.mark.parametrize("key", ["params_m", "bleu"])
def test_a_table_that_no_run_answers_names_no_corpus(tmp_path: Path, key: str) -> None:
    [table] = invented.PAPER.tables
    row = replace(invented.ROWS[0], values={key: 1.0}, marks={})
    paper = replace(invented.PAPER, tables=(replace(table, rows=(row,)),))
    invented.write_result(tmp_path, invented.record("p.r1"))
    counted = {("p.r1", key): UntrainedValue(value=62.0, seeds=3)}
    found = rendered(tmp_path, paper, **invented.untrained(counted))
    assert not [note for note in found.notes if note.startswith("Corpus")]
    assert found.label.endswith("nothing of this table has been trained; the numbers are of"
                                " untrained models.")  # fmt: skip
    assert list(found.frame["status"]) == ["measured, 3 seeds"]


def test_a_statistic_names_the_corpus_that_was_counted(tmp_path: Path) -> None:
    counted = {("p.r6", "bleu"): UntrainedValue(value=4.5, corpus="toy")}
    found = rendered(tmp_path, **invented.untrained(counted))
    assert found.label == "Toy scale. A toy corpus. Not comparable with the paper's numbers."
    assert invented.TERMS.texts[0] in found.notes


def test_synthetic_pairs_are_counted_below_the_table(tmp_path: Path) -> None:
    found = invented.record("p.r1")
    invented.write_result(tmp_path, found | {"data": found["data"] | {"synthetic": SYNTHETIC}})
    note = (
        "Corpus toy: 7,321 pairs were made by back-translation (seed 3 of post-6-6),"
        " beside 20,000 of the bitext."
    )
    assert note in rendered(tmp_path).notes


def test_the_text_that_was_translated_is_cited_too() -> None:
    found = terms_of(CORPORA)
    synthetic = [key for key, corpus in CORPORA.corpora.items() if corpus.synthetic]
    assert synthetic
    assert {len(terms.texts) for key, terms in found.items() if key in synthetic} == {2}


def test_the_report_shows_what_was_built(tmp_path: Path) -> None:
    page = report_page([], invented.results(tmp_path), tmp_path, [built("toy-12345678")])
    assert "116,400,000 / 116,400,000" in page
    assert "3 empty, 81 ratio" in page
