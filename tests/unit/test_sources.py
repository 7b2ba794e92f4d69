"""Whoever reads a number learns whose text it came from, and on what terms."""

from dataclasses import replace
from pathlib import Path

import invented
import pytest
from test_statistics import built

from deepmt.config.corpora import load_corpora
from deepmt.config.papers import Paper
from deepmt.report.material import materials
from deepmt.report.page import report_page
from deepmt.report.sheets import Sheet, make_sheets
from deepmt.results.cells import all_cells
from deepmt.results.sources import Source, sources
from deepmt.results.untrained_values import Untrained

ROOT = Path(__file__).parents[2]
SYNTHETIC = {
    "bitext_pairs": 20000,
    "synthetic_pairs": 7321,
    "settings": {"upsample": 2},
    "reverse": {"run": "post-6-6", "seed": 3},
}


def sheet(folder: Path, paper: Paper = invented.PAPER, **changes: object) -> Sheet:
    ledger = replace(invented.ledger(folder), **changes)
    [found] = make_sheets(paper, all_cells([paper], ledger), ledger, "Toy scale")
    return found


def test_a_corpus_stands_once_below_a_table_however_many_rows_used_it(tmp_path: Path) -> None:
    for row in ("p.r1", "p.r2"):
        invented.write_result(tmp_path, invented.record(row))
    assert sheet(tmp_path).notes.count(*invented.SOURCE.texts()) == 1


def test_recorded_runs_name_their_corpus_without_its_data(tmp_path: Path) -> None:
    invented.write_shelf(tmp_path, invented.record("p.r2"))
    assert invented.SOURCE.texts()[0] in sheet(tmp_path).notes


@pytest.mark.parametrize("key", ["params_m", "bleu"])
def test_a_table_that_no_run_answers_names_no_corpus(tmp_path: Path, key: str) -> None:
    [table] = invented.PAPER.tables
    row = replace(invented.ROWS[0], values={key: 1.0}, marks={})
    paper = replace(invented.PAPER, tables=(replace(table, rows=(row,)),))
    invented.write_result(tmp_path, invented.record("p.r1"))
    counted = {("p.r1", key): Untrained(value=62.0, seeds=3)}
    found = sheet(tmp_path, paper, untrained=counted)
    assert not [note for note in found.notes if note.startswith("Corpus")]
    assert found.label.endswith("nothing of this table has been trained; its numbers are of"
                                " untrained models.")  # fmt: skip
    assert list(found.frame["status"]) == ["measured, 3 seeds"]


def test_a_statistic_names_the_corpus_that_was_counted(tmp_path: Path) -> None:
    counted = {("p.r4", "bleu"): Untrained(value=4.5, corpus="toy")}
    found = sheet(tmp_path, untrained=counted)
    assert found.label == "Toy scale. A toy corpus. Not comparable with the paper's numbers."
    assert invented.SOURCE.texts()[0] in found.notes


def test_synthetic_pairs_are_counted_below_the_table(tmp_path: Path) -> None:
    found = invented.record("p.r1")
    invented.write_result(tmp_path, found | {"data": found["data"] | {"synthetic": SYNTHETIC}})
    note = (
        "Corpus toy: 7,321 pairs were made by back-translation (seed 3 of post-6-6),"
        " beside 20,000 of the bitext (2 times each)."
    )
    assert note in sheet(tmp_path).notes


def test_the_text_that_was_translated_is_cited_too() -> None:
    text = Source(key="news.de", title="News", licence="Free", citation="B. (2019)")
    assert replace(invented.SOURCE, translated=text).texts()[1] == (
        "Corpus news.de: News. Licence: Free. Citation: B. (2019)."
    )


def test_every_corpus_has_a_licence_and_a_citation() -> None:
    found = sources(load_corpora(ROOT / "corpora.yaml"))
    for source in found.values():
        for part in (source, source.translated or source):
            assert part.title
            assert part.licence
            assert part.citation


def test_the_report_shows_what_was_built_and_what_is_known_from_records(tmp_path: Path) -> None:
    invented.write_shelf(tmp_path, invented.record("p.r2"))
    ledger = invented.ledger(tmp_path)
    [recorded] = materials([invented.PAPER], ledger, [])
    [here] = materials([invented.PAPER], ledger, [built("toy-12345678", synthetic="")])
    page = {
        name: report_page([], ledger, tmp_path, [material], title="R", scale_note="N")
        for name, material in (("recorded", recorded), ("here", here))
    }
    assert all("Licence: Apache-2.0. Citation: A. Writer" in text for text in page.values())
    assert "Not built on this machine" in page["recorded"]
    assert "116,400,000 / 116,400,000" in page["here"]
    assert "3 empty, 81 ratio" in page["here"]
