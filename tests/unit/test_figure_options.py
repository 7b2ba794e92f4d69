"""`draw` of a figure is checked before any job: kinds, options, and the names in it."""

from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import projects
from deepmt.config.figure_options import Draw
from deepmt.config.papers import find_figure, load, rows_of_figure
from deepmt.report.figures.figure_files import KINDS

ROOT = Path(__file__).parents[2]
WANG = (ROOT / "papers/wang2019.yaml").read_text()


def problems(folder: Path, old: str, new: str) -> str:
    """What is said of the paper with the first `old` replaced."""
    assert old in WANG
    path = folder / "wang2019.yaml"
    path.write_text(WANG.replace(old, new, 1))
    with pytest.raises(ValueError, match=r"wang2019\.yaml:\d+: ") as refused:
        load(path)
    return str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("kind: score-by-depth", "kind: score-by-dept", "did you mean 'score-by-depth'"),
        ("kind: score-by-depth", "colour: red", "missing key 'kind'"),
        ("          column: bleu\n", "          column: blue\n", "did you mean 'bleu'"),
        ("          table: wang2019.table1", "          table: wang2019.tabel1", "wang2019.table1"),
        ("system: ende-big-6l-pre}", "system: ende-big-7l-pre}", "did you mean 'ende-big-6l-pre'"),
        ("reference: ende-big-6l-pre", "reference: big", "unknown reference 'big'"),
    ],
)
def test_an_error_in_draw_is_reported_with_file_line_and_suggestion(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert said in problems(tmp_path, old, new)


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
