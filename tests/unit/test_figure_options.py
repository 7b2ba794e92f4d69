"""A figure asks for the runs of its systems, unless they are untrained."""

import projects
from deepmt.config.papers import find_figure, rows_of_figure


def test_systems_that_only_a_figure_shows_can_be_run() -> None:
    plan = projects.plan(scale="toy", papers="wang2019", rows="wang2019.fig3")
    systems = rows_of_figure(plan.papers[0], find_figure(plan.papers[0], "wang2019.fig3"))
    assert plan.selected == {row.id for row in systems}
    assert plan.specs["wang2019/ende-base-35l-pre"].encoder.layers == 35


def test_a_figure_of_untrained_models_asks_for_no_run() -> None:
    plan = projects.plan(scale="toy", papers="zhang2019", rows="zhang2019.fig1")
    assert plan.runs == {}
    assert not any(name.startswith("zhang2019/probe-6l") for name in plan.specs)
