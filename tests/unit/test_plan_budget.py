"""What fits into a budget, and what to drop first."""

from dataclasses import replace
from functools import cache

import shelf
from hypothesis import given, settings
from hypothesis import strategies as st

from deepmt.config.settings import Plan
from deepmt.estimate.budget import Budget, choose
from deepmt.estimate.uses import Use, rows_of_claim, uses


@cache
def plan() -> Plan:
    return shelf.plan_of(shelf.ROOT, "zhang2019", "unified")


def use(cells: int, *, rows: tuple[str, ...] = ("p.r1",), **others: object) -> Use:
    return Use(rows=rows, papers=("p",), cells=cells, headline=False, **others)  # type: ignore[arg-type]


def chosen(found: dict[str, Use], hours: dict[str, float], limit: float) -> Budget:
    return choose(plan(), found, hours, limit)


def test_most_cells_an_hour_come_first_and_what_no_longer_fits_is_passed_over() -> None:
    found = chosen(
        {"dear": use(1), "large": use(10), "small": use(1)},
        {"dear": 50, "large": 100, "small": 20},
        limit=125,
    )
    assert [choice.run for choice in found.choices] == ["large", "small", "dear"]
    assert found.kept == ("large", "small")
    assert found.hours == 120


def test_headline_rows_are_dropped_last() -> None:
    found = chosen(
        {"cheap": use(9), "headline": replace(use(1), headline=True)},
        {"cheap": 1, "headline": 90},
        limit=90,
    )
    assert found.kept == ("headline",)


def test_a_run_that_makes_text_comes_along_with_whoever_needs_it() -> None:
    found = {"maker": use(0, rows=(), feeds=("a", "b")), "a": use(1), "b": use(1), "c": use(1)}
    hours = {"maker": 10.0, "a": 5.0, "b": 6.0, "c": 12.0}
    assert set(chosen(found, hours, 26).kept) == {"c"}
    assert set(chosen(found, hours, 27).kept) == {"c", "maker", "a"}
    assert set(chosen(found, hours, 33).kept) == {"c", "maker", "a", "b"}


def test_what_is_done_costs_nothing_and_is_kept() -> None:
    assert chosen({"done": use(1), "new": use(1)}, {"done": 0, "new": 5}, 0).kept == ("done",)


@settings(deadline=None, max_examples=50)
@given(
    st.dictionaries(st.sampled_from("abcdef"), st.tuples(st.integers(0, 9), st.integers(0, 50))),
    st.integers(0, 200),
)
def test_the_budget_is_never_overdrawn_and_nothing_left_out_would_fit(
    runs: dict[str, tuple[int, int]], limit: int
) -> None:
    hours = {run: float(cost) for run, (_, cost) in runs.items()}
    found = chosen({run: use(cells) for run, (cells, _) in runs.items()}, hours, limit)
    dropped = [choice for choice in found.choices if not choice.kept]
    assert found.hours <= limit
    assert all(found.hours + choice.hours > limit for choice in dropped)
    assert {choice.run for choice in found.choices} == set(runs)


def test_without_a_budget_every_table_and_claim_loses_its_rows() -> None:
    found = uses(plan())
    nothing = choose(plan(), found, dict.fromkeys(found, 1.0), limit=0)
    assert nothing.kept == ()
    rows = {t.id: {row.id for row in t.rows} for paper in plan().papers for t in paper.tables}
    asked = {table: len(ids & plan().selected) for table, ids in rows.items()}
    assert nothing.tables == {table: (count, count) for table, count in asked.items() if count}
    judged = {
        claim.id
        for paper in plan().papers
        for claim in paper.claims
        if rows_of_claim(paper, claim) & plan().selected
    }
    assert set(nothing.claims) == judged
    assert len(judged) > 10
