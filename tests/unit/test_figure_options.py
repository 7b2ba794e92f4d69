"""`draw` of a figure is checked before any job: kinds, options, and the names in it."""

from pathlib import Path
from typing import get_args, get_type_hints

import projects
from deepmt.config.figure_options import Draw
from deepmt.config.papers import find_figure, rows_of_figure
from deepmt.report.figures.figure_files import KINDS

ROOT = Path(__file__).parents[2]


def test_every_kind_that_a_paper_may_name_can_be_drawn() -> None:
    [options, _] = get_args(Draw)
    kinds = {kind for one in get_args(options) for kind in get_args(get_type_hints(one)["kind"])}
    assert kinds == set(KINDS)


def test_systems_that_only_a_figure_shows_can_be_run() -> None:
    plan = projects.plan(scale="toy", papers="wang2019", rows="wang2019.fig3")
    systems = rows_of_figure(plan.papers[0], find_figure(plan.papers[0], "wang2019.fig3"))
    assert plan.selected == {row.id for row in systems}
    assert plan.specs["wang2019/ende-base-35l-pre"].encoder.layers == 35


def test_a_figure_of_untrained_models_asks_for_no_run() -> None:
    plan = projects.plan(scale="toy", papers="zhang2019", rows="zhang2019.fig1")
    assert plan.runs == {}
    assert not any(name.startswith("zhang2019/probe-6l") for name in plan.specs)
