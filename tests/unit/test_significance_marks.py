"""Tables whose papers test significance show it, the papers' own and ours."""

from dataclasses import replace

import invented
import pytest
from full_sizes import PAPERS

from deepmt.judge.cells import all_cells
from deepmt.judge.significance import RowComparison
from deepmt.measured.table import Measured
from deepmt.report.rendered_tables import RenderedTable, render_tables

PAPER = PAPERS["liu2020"]
ROWS = [row for table in PAPER.tables for row in table.rows]
DEEP, DEFAULT, SMALL = "60l-12l-admin.fr", "6l-6l-default.fr", "6l-6l-admin.fr"


def pair(row: str, against: str, ours: str, column: str = "bleu") -> RowComparison:
    """A test of two rows."""
    return RowComparison(
        row=row, against=against, column=column, ours=ours, p_value=0.01, signature="s"
    )


def rendered(table: str, *pairs: RowComparison) -> RenderedTable:
    results = invented.nothing_run(ROWS)
    made = render_tables(PAPER, measured(results), results, {table: pairs} if pairs else {})
    return {rendered.table.id: rendered for rendered in made}[table]


def measured(results: Measured) -> list:
    """Cells as if all had been run."""
    return [replace(cell, ours=30.0, status="measured") for cell in all_cells([PAPER], results)]


def test_the_printed_matrix_compares_row_with_column() -> None:
    frame = rendered("liu2020.table3").frame
    assert list(frame["against.e.paper"]) == ["-", "-", "-", "=", "", "=", "-"]
    assert "against.e.ours" not in frame


def test_ours_is_beside_it_as_soon_as_one_pair_was_compared() -> None:
    found = rendered("liu2020.table3", pair("c", "e", "="), pair("e", "c", "="))
    assert list(found.frame["against.e.ours"]) == ["", "", "=", "", "", "", ""]
    assert any(note.startswith("Significance, here: paired bootstrap") for note in found.notes)


def test_a_row_that_the_caption_calls_better_has_a_dagger() -> None:
    found = rendered("liu2020.table1")
    by_row = found.frame["bleu.paper"].to_dict()
    assert by_row[f"liu2020.t1.{DEEP}"] == "43.8 †"
    assert by_row[f"liu2020.t1.{SMALL}"] == "41.5"
    assert "†: better than 6L-6L Default and 6L-6L ADMIN, p < 0.05" in found.notes


@pytest.mark.parametrize(
    ("marks", "text"), [("++", "30.0 †"), ("+=", "30.0"), ("+", "30.0"), ("", "30.0")]
)
def test_ours_has_a_dagger_only_if_it_beats_all_of_them(marks: str, text: str) -> None:
    pairs = [pair(DEEP, other, sign) for other, sign in zip((DEFAULT, SMALL), marks, strict=False)]
    found = rendered("liu2020.table1", *pairs)
    row = found.frame.loc[f"liu2020.t1.{DEEP}"]
    assert row["bleu.ours"] == text
    assert row["ter.ours"] == "30.0"


def test_sizes_and_differences_have_no_dagger() -> None:
    frame = rendered("liu2020.table1").frame
    assert not any("†" in text for key in ("params_m", "delta") for text in frame[f"{key}.paper"])
