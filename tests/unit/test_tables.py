"""Tables show the same text in every format."""

import math
import re
from dataclasses import replace
from pathlib import Path

import invented
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_cells import COLUMNS, cell

from deepmt.judge.cells import all_cells
from deepmt.judge.ranking import Ranking
from deepmt.measured.untrained_values import read_table1
from deepmt.report.latex import latex, latex_table
from deepmt.report.markdown import markdown
from deepmt.report.page.chapters import Chapter
from deepmt.report.page.render import report_page
from deepmt.report.rendered_tables import (
    RenderedTable,
    decimals_of_ours,
    describe_verdict,
    format_ours,
    format_value,
    proven_first,
    render_tables,
)
from deepmt.report.table_style import heading, headings
from deepmt.study.papers import Column

NOTE = "Toy scale: never comparable."


@pytest.fixture
def tables(tmp_path: Path) -> list[RenderedTable]:
    invented.write_result(tmp_path, invented.record("p.r1", 1, bleu=90.126))
    invented.write_result(tmp_path, invented.record("p.r1", 2, bleu=92.126))
    invented.write_result(tmp_path, invented.diverged("p.r3", update=70))
    known = invented.results(tmp_path)
    return render_tables(invented.PAPER, all_cells([invented.PAPER], known), known, {})


@pytest.fixture
def formats(tables: list[RenderedTable], tmp_path: Path) -> dict[str, str]:
    chapter = Chapter(paper=invented.PAPER, tables=tables)
    return {
        "md": markdown(invented.PAPER, tables, NOTE),
        "tex": latex(invented.PAPER, tables, NOTE).replace(r"$\pm$", "±"),
        "html": report_page([chapter], invented.results(tmp_path), tmp_path / "results"),
    }


@pytest.mark.parametrize("text", ["91.13 ± 1.41", "27.50 †", "27.5", "0.31", "28.60", "27.30"])
def test_all_formats_show_the_same_number(formats: dict[str, str], text: str) -> None:
    formats["tex"] = formats["tex"].replace(r"\dag{}", "†")
    assert [name for name, page in formats.items() if text not in page] == []


@pytest.mark.parametrize(
    "text",
    ["measured, 2 seeds", "diverged at update 70", "not run", "quoted",
     "Toy scale. A toy corpus.", NOTE, "Verdict: reproduced = ",
     "Corpus toy: Invented English-German. A toy corpus. Licence: Apache-2.0. "
     "Citation: A. Writer (2020), Words."],
)  # fmt: skip
def test_all_formats_say_what_was_run_and_at_which_scale(formats, text: str) -> None:
    assert [name for name, page in formats.items() if text not in page] == []


def test_a_chapter_warns_once_on_the_page_and_at_every_table_elsewhere(tables, tmp_path) -> None:
    chapter = Chapter(paper=invented.PAPER, tables=tables * 2)
    page = report_page([chapter], invented.results(tmp_path), tmp_path / "results")
    assert page.count("Not comparable with the paper") == 1
    assert markdown(invented.PAPER, tables * 2, NOTE).count("Not comparable with the paper") == 2


def test_a_page_of_a_printed_score_begins_with_it_and_ranks_nothing(tables, tmp_path) -> None:
    known, chapter = invented.results(tmp_path), Chapter(paper=invented.PAPER, tables=tables)
    nothing = Ranking(title="", note="", systems=[])
    plain, printed = (
        report_page([chapter], known, tmp_path, ranking=nothing, printed=text)
        for text in ("", "5 printed: level.")
    )
    assert not any('id="ranking"' in page for page in (plain, printed))
    assert 0 < printed.index("5 printed: level.") < printed.index(">Overview</h2>")


def test_every_number_of_ours_leads_to_its_record(formats: dict[str, str]) -> None:
    address = f"../report.html#run-{invented.SPECS['p.r1'].run}"
    assert f"[91.13 ± 1.41]({address})" in formats["md"]
    escaped = address.replace("#", r"\#").replace("_", r"\_")
    assert rf"\href{{{escaped}}}{{91.13 ± 1.41}}" in formats["tex"]


def test_a_status_of_all_rows_is_said_once_and_no_verdict_has_no_column(tables) -> None:
    [table] = tables
    assert {"status"} == set(table.lean().frame) & {"status", "verdict"}
    alike = table.part(["p.r2", "p.r5"]).lean()
    assert "status" not in alike.frame
    assert alike.label.endswith("All rows: not run.")


def test_what_stands_in_for_a_printed_number_is_headed_by_its_scale(tables) -> None:
    [table] = tables
    bleu = "Test & 14 %, BLEU"
    assert (bleu, "here (toy)") in headings(table)
    alike = {
        place: replace(cell, verdict="reproduced") if cell.ours is not None else cell
        for place, cell in table.cells.items()
    }
    assert (bleu, "here") in headings(replace(table, cells=alike))


def test_what_all_seeds_have_alike_has_no_spread() -> None:
    assert format_ours(cell("a.bleu", 6000.0, 0.0), 0) == "6000"
    assert format_ours(cell("a.bleu", 6000.0, 1.0), 0) == "6000 ± 1"


def test_a_heading_names_the_unit_unless_label_or_numbers_do() -> None:
    column = Column(label="Speed", unit="tokens per second", measure="tokens_per_s")
    assert heading(column) == "Speed, tokens per second"
    assert heading(replace(column, label="Tokens per second")) == "Tokens per second"
    assert heading(replace(column, suffix="t/s")) == "Speed"


def test_signatures_and_decoding_are_below_the_table(tables: list[RenderedTable]) -> None:
    notes = tables[0].notes
    assert "Test & 14 %, here: BLEU|case:mixed" in notes
    assert "MT_04, here (on test): BLEU|case:mixed" in notes
    assert "Decoding: beam 4, wu length penalty 0.6" in notes


def test_probes_say_below_the_table_that_their_tokens_are_random(tmp_path: Path) -> None:
    path = tmp_path / "table1.csv"
    path.write_text("system,row,sublayer,ours,spread,seeds\npost-norm,p.r6,bleu,1.25,0.01,3\n")
    known = invented.results(tmp_path, **invented.untrained(read_table1(path)))
    [table] = render_tables(invented.PAPER, all_cells([invented.PAPER], known), known, {})
    assert "Here: measured at the paper's size on random Zipf tokens." in table.notes


def test_a_table_whose_run_answers_none_of_its_cells_has_not_been_run(tmp_path: Path) -> None:
    invented.write_result(tmp_path, invented.record("p.r6"))
    [table] = invented.PAPER.tables
    probes = replace(invented.PAPER, tables=(replace(table, rows=invented.ROWS[5:]),))
    known = invented.results(tmp_path)
    [rendered] = render_tables(probes, all_cells([probes], known), known, {})
    assert rendered.label == "Toy scale: nothing of this table has been run."


@pytest.mark.parametrize(
    ("verdicts", "text"),
    [
        ({"bleu": "reproduced", "ppl": "reproduced"}, "reproduced"),
        ({"bleu": "reproduced", "ppl": "not-comparable"}, "BLEU reproduced"),
        ({"bleu": "reproduced", "ppl": "weaker"}, "BLEU reproduced; PPL weaker"),
        ({"bleu": "not-comparable", "ppl": "not-comparable"}, "not comparable"),
    ],
)
def test_a_verdict_names_its_columns_unless_it_is_for_all(verdicts: dict, text: str) -> None:
    [table] = invented.PAPER.tables
    table = replace(table, columns=COLUMNS)
    cells = [cell(f"a.{key}", 30.0, published=30.0, verdict=v) for key, v in verdicts.items()]
    assert describe_verdict(cells, table) == text


def test_columns_without_any_number_are_left_out(tmp_path: Path) -> None:
    known = invented.results(tmp_path)
    [rendered] = render_tables(invented.PAPER, all_cells([invented.PAPER], known), known, {})
    assert not [name for name in rendered.frame.columns if name.endswith(".ours")]
    assert rendered.label == "Toy scale: nothing of this table has been run."


def test_scores_of_a_test_set_that_the_corpus_lacks_are_not_shown_twice(tables) -> None:
    [table] = tables
    assert table.cells["p.r1", "mt04"].ours == table.cells["p.r1", "bleu"].ours
    assert "bleu.ours" in table.frame
    assert not {"mt04.ours", "mean.ours"} & {*table.frame}


def test_latex_has_no_bare_special_character(formats: dict[str, str]) -> None:
    lines = [x for x in formats["tex"].split("\n") if not x.startswith("%") and "label" not in x]
    text = "\n".join(lines).replace("{!}{%\n", "")
    assert not re.search(r"(?<!\\)[%#_]", text)
    assert r"Test \& 14 \%" in text
    assert r"Deep $\times$ 12\_$\beta$ $\geq$ 1" in text
    assert r"Shallow \#1" in text


@pytest.mark.parametrize(("widest", "kind"), [(10, "sidewaystable*"), (1000, "table*")])
def test_wide_tables_are_turned_in_latex(tables, monkeypatch, widest: int, kind: str) -> None:
    monkeypatch.setattr("deepmt.report.latex.UPRIGHT", widest)
    assert rf"\begin{{{kind}}}" in latex_table(tables[0])


@pytest.mark.parametrize("text", ["*: failed", "[1] says"])
def test_a_text_after_a_line_break_is_no_option_of_latex(tables, text: str) -> None:
    rendered = replace(tables[0], notes=(text,))
    assert rf"\raggedright {{{text[0]}}}{text[1:]}" in latex_table(rendered)


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [(27.585, 1, "27.6"), (-0.04, 1, "0.0"), (1.0, 2, "1.00"), (65, 0, "65"), (7e-4, 4, "0.0007")],
)
def test_values_have_the_decimals_of_their_column(value, decimals: int, text: str) -> None:
    assert format_value(value, decimals) == text


@given(st.floats(0.01, 1e6), st.integers(0, 4))
def test_ours_never_loses_its_last_two_digits(value: float, decimals: int) -> None:
    shown = format_value(value, decimals_of_ours(value, decimals))
    assert abs(float(shown) - value) <= max(0.05 * value, 0.005)


def test_the_perplexity_of_a_very_bad_model_has_two_digits() -> None:
    assert format_value(1.014e304, 2) == "1.0e+304"
    assert format_value(798.6, 2) == "798.60"
    assert decimals_of_ours(math.inf, 2) == 2


def test_rows_of_ours_that_were_never_run_stand_last_in_a_group_of_their_own() -> None:
    lines = [("shallow", "new"), ("deep", "new"), ("deep", "old"), ("", "odd")]
    frame = pd.DataFrame(lines, columns=["group", "system"], index=["a", "b", "c", "d"])
    found = proven_first(frame, ["a", "d"])
    assert list(found.index) == ["b", "c", "a", "d"]
    assert list(found.group) == ["deep", "deep", "not run yet", "not run yet"]
    assert list(found.system) == ["new", "old", "shallow: new", "odd"]
    assert proven_first(frame, []) is frame
    assert proven_first(frame, list(frame.index)) is frame
