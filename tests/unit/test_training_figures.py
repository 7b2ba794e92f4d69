"""Figures of what happened during training show made-up curves, and what is missing."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_up_runs import figure_of, write_curves_of, write_runs

from deepmt.report.figures.figure_files import Drawn, make
from deepmt.report.figures.figure_points import as_points
from deepmt.report.figures.over_training import LearningCurveFigure

UPDATES = list(range(20, 401, 20))
Sections = dict[str, Any]


@pytest.fixture
def drawn(tmp_path: Path) -> Callable[..., Drawn]:
    """The figure of made-up curves, by system several seeds, or one for two that are alike."""

    def draw(name: str, **systems: Sections | list[Sections]) -> Drawn:
        _, empty = figure_of(name, tmp_path)
        seeds = {
            k: found if isinstance(found, list) else [found] * 2 for k, found in systems.items()
        }
        write_curves_of(tmp_path, empty, **seeds)
        return make(*figure_of(name, tmp_path))

    return draw


def test_a_system_that_was_not_run_is_missing(drawn) -> None:
    norms = {"update": UPDATES, **dict.fromkeys(("encoder", "decoder"), [[1.0, 2.0]] * 20)}
    figure = drawn("zhang2019.fig4", ende_base_18l_post_5k={"gradients": norms})
    assert figure.status == "partial"
    assert "encoder, with DS-Init, first layer: not run" in figure.missing


def test_every_weight_of_the_last_update_is_a_point(drawn) -> None:
    weights = {
        stack: [[[0.5] * (row + 1) for row in range(layers + 1)]]
        for stack, layers in (("encoder", 30), ("decoder", 6))
    }
    last = {"layer_weights": {"update": [400], **weights}}
    figure = drawn("wang2019.fig5", ende_base_30l_pre_dlcl=last)
    assert len(figure.points) == 31 * 32 + 7 * 8


def test_a_loss_with_smoothing_is_no_perplexity(drawn) -> None:
    smoothed = {"progress": {"update": UPDATES, "loss": [3.0] * len(UPDATES)}}
    figure = drawn("liu2020.fig2", enfr_base_60l_12l_default=smoothed)
    assert figure.status == "not-run"


def test_numbers_that_a_run_lost_make_gaps_and_no_points(drawn) -> None:
    values = [None if time == 3 else 5.0 for time in range(len(UPDATES))]
    dev = {"dev": {"update": UPDATES, "ppl": values}}
    points = drawn("liu2020.fig2", enfr_base_6l_6l_admin=dev).points
    assert len(points[(points.series == "6L-6L") & points.y.notna()]) == 2 * (len(UPDATES) - 1)
    assert not any(math.isinf(y) for y in points.y)


def test_a_refused_seed_is_missing_beside_the_others(drawn) -> None:
    seeds = [
        {"output_gradients": {"update": updates, "encoder": [[1.0]] * 2}}
        for updates in ([1, 2], [2, 1])
    ]
    figure = drawn("bapna2018.fig3", ende_transformer_base_20l_transparent=seeds)
    assert figure.status == "partial"
    assert "training curve refused" in figure.missing[0]
    assert "must rise" in figure.missing[0]


def test_a_seed_that_diverged_says_so_and_has_a_cross(drawn, tmp_path: Path) -> None:
    write_runs(tmp_path, "liu2020", lost="post-60-12")
    dev = {"update": UPDATES, "ppl": [500.0 + time for time in UPDATES]}
    sections = {"dev": dev, "progress": dev | {"loss": [1.0] * len(UPDATES)}}
    figure = drawn("liu2020.fig2", enfr_base_60l_12l_default=sections)
    ends = figure.points[figure.points.series == "60L-12L Default"]
    assert set(ends.note[ends.seed == "1"]) == {"diverged at update 90"}


@pytest.mark.parametrize(
    ("outcome", "update", "cross"),
    [("diverged", 40, 40), ("stalled", 70, 60), ("collapsed", 999, 400), ("diverged", 1, 20)],
)
def test_the_cross_is_at_the_last_value_before_the_seed_failed(
    tmp_path: Path, outcome: str, update: int, cross: int
) -> None:
    figure, data = figure_of("liu2020.fig2", tmp_path)
    place = {"panel": "(b) dev set, ADMIN", "series": "60L-12L", "seed": "1"}
    place["note"] = f"{outcome} at update {update}"
    points = as_points(place | {"x": x, "y": x / 10} for x in UPDATES)
    lines = [
        line for ax in LearningCurveFigure(figure, data).draw(points).axes for line in ax.lines
    ]
    [mark] = [line for line in lines if line.get_marker() == "x"]
    assert (list(mark.get_xdata()), list(mark.get_ydata())) == ([cross], [cross / 10])
