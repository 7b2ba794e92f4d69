"""What a run is for."""

from functools import cache

import shelf

from deepmt.config.settings import Plan
from deepmt.estimate.uses import paper_of, printed_cells, rows_of_claim, uses


@cache
def plan() -> Plan:
    return shelf.plan_of(shelf.ROOT)


def test_every_row_asked_for_stands_on_exactly_one_run() -> None:
    rows = [row for use in uses(plan()).values() for row in use.rows]
    assert sorted(rows) == sorted(plan().selected)


def test_a_run_of_the_toy_scale_serves_several_papers() -> None:
    shared = [use for use in uses(plan()).values() if len(use.papers) > 1]
    assert all({paper_of(row) for row in use.rows} <= set(use.papers) for use in shared)
    assert shared


def test_runs_that_make_text_serve_the_papers_of_those_that_read_it() -> None:
    found = uses(plan())
    for corpus, reverse in plan().reverse.items():
        readers = [run for run, spec in plan().runs.items() if spec.data.corpus == corpus]
        assert set(found[reverse.run].feeds) >= set(readers)
        assert all(set(found[run].papers) <= set(found[reverse.run].papers) for run in readers)


def test_sizes_and_times_are_no_reason_to_train() -> None:
    cells = printed_cells(plan())
    zhang = next(paper for paper in plan().papers if paper.key == "zhang2019")
    table = next(table for table in zhang.tables if table.id == "zhang2019.table3")
    scores = [key for key, column in table.columns.items() if column.unit == "BLEU"]
    row = next(row for row in table.rows if row.id == "zhang2019.t3.r11")
    assert cells[row.id] == sum(key in row.values or key in row.marks for key in scores) > 0
    assert len(row.values) > cells[row.id]


def test_a_claim_looks_at_the_rows_of_its_cells() -> None:
    liu = next(paper for paper in plan().papers if paper.key == "liu2020")
    named = {claim.id: rows_of_claim(liu, claim) for claim in liu.claims}
    rows = {row.id for table in liu.tables for row in table.rows}
    beyond = {row for found in named.values() for row in found} - rows
    assert all(row in plan().specs for row in beyond)
    assert any(len(found) > 1 for found in named.values())
