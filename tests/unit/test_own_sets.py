"""Only rows whose tables print scores of dev or of training pairs pay for them."""

from pathlib import Path

import pytest

import projects
from deepmt.settings.text_steps import SAMPLE
from deepmt.study.plan import Plan
from deepmt.study.requested_text import requested_splits

ROOT = Path(__file__).parents[2]


def plan(*rows: str, papers: str = "zhang2019") -> Plan:
    return projects.plan(scale="toy", papers=papers, rows=",".join(rows))


@pytest.mark.parametrize(
    ("row", "splits"),
    [
        ("zhang2019.t4.r11", (SAMPLE, "dev")),
        ("wang2019.table3", ("dev",)),
        ("zhang2019.t3.r11", ()),
        ("wang2019.table7", ()),
        ("unified.table1", ()),
    ],
)
def test_a_row_asks_for_the_sets_that_its_table_prints(row, splits) -> None:
    asked = requested_splits(plan(row, papers=row.partition(".")[0]))
    assert asked
    assert set(asked.values()) == {splits}


def test_rows_of_one_run_ask_together() -> None:
    found = plan("zhang2019.t3.r11", "zhang2019.t4.r11")
    assert requested_splits(found) == {found.specs["zhang2019.t4.r11"].run: (SAMPLE, "dev")}


def test_the_default_rows_ask_for_nothing() -> None:
    assert not any(requested_splits(plan("headline", papers="all")).values())


def test_a_mean_over_test_sets_asks_for_each_that_the_corpus_has() -> None:
    found = projects.plan(scale="paper", papers="zhang2019", rows="zhang2019.t6.r6")
    [splits] = requested_splits(found).values()
    assert splits == ("newstest2015", "newstest2016", "newstest2017", "newstest2018")
