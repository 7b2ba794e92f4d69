"""A figure asks for the runs of its systems, unless they are untrained."""

import projects
from deepmt.study.figure_options import LinesOptions
from deepmt.study.papers import find_figure, load, rows_of, rows_of_figure


def test_systems_that_only_a_figure_shows_can_be_run() -> None:
    plan = projects.plan(scale="toy", papers="wang2019", rows="wang2019.fig3")
    systems = rows_of_figure(plan.papers[0], find_figure(plan.papers[0], "wang2019.fig3"))
    assert plan.selected == {row.id for row in systems}
    assert plan.specs["wang2019/ende-base-35l-pre"].encoder.layers == 35


def test_a_figure_of_untrained_models_asks_for_no_run() -> None:
    plan = projects.plan(scale="toy", papers="zhang2019", rows="zhang2019.fig1")
    assert plan.runs == {}
    assert not any(name.startswith("zhang2019/probe-6l") for name in plan.specs)


def test_a_figure_has_a_line_for_each_row_of_its_groups_but_for_those_left_out() -> None:
    paper = load(projects.ROOT / "papers/unified.yaml")
    figure = find_figure(paper, "unified.fig7")
    assert isinstance(figure.draw, LinesOptions)
    drawn = {line.system: line.label for line in figure.draw.lines}
    assert list(figure.systems) == list(drawn)
    rows = [row for row in rows_of(paper) if row.group in figure.draw.groups and row.system]
    assert {row.system for row in rows if row.system not in drawn} == {*figure.draw.without}
    shown = [row for row in rows if row.system in drawn]
    assert [drawn[str(row.system)] for row in shown] == [row.short or row.label for row in shown]
    assert any(row.short for row in shown)
