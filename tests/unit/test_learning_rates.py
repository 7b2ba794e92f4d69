"""The figure of learning rates shows where each method trains, from the trials of `tune`."""

import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import invented
from full_sizes import UNIFIED

from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.figure_files import make
from deepmt.study.papers import find_figure
from deepmt.study.tuning import TrialResult

FIGURE = find_figure(UNIFIED, "unified.fig6")
RATES = (2.5e-4, 5e-4, 1e-3, 2e-3, 4e-3, 8e-3)


def trial(
    system: str, lr: float, warmup: int, perplexity: float, share: float = 0.25
) -> TrialResult:
    outcome = "finished" if math.isfinite(perplexity) else "collapsed at update 90"
    return TrialResult(
        system=system, stage=1, lr=lr, warmup=warmup, share=share, outcome=outcome,
        dev_perplexity=perplexity, run="run", hardware="h", commit="c",
    )  # fmt: skip


def made(root: Path, trials: list[TrialResult]) -> Any:
    """The figure of a scale that has these trials, and no run."""
    results = replace(invented.nothing_run([]), trials=trials)
    return make(FIGURE, FigureData(paper=UNIFIED, results=results, folder=root, root=root))


def test_each_method_has_its_best_rate_and_those_at_which_it_fails(tmp_path: Path) -> None:
    draw = random.Random(0)
    first, second, *_ = FIGURE.draw.lines
    drawn = {
        (lr, warmup): draw.choice([math.inf, draw.uniform(5, 80)])
        for lr in RATES
        for warmup in (100, 200)
    }
    long = [trial(first.system, lr, 100, 1.0, share=1.0) for lr in RATES]
    # A rate that fails with all updates fails.
    other = [trial(second.system, lr, 100, 40.0) for lr in (1e-3, 2e-3)]
    other += [trial(second.system, 2e-3, 100, math.inf, share=1.0)]
    short = [trial(first.system, *place, value) for place, value in drawn.items()]
    found = made(tmp_path, short + long + other)
    better = {lr: min(drawn[lr, 100], drawn[lr, 200]) for lr in RATES}
    own = found.points[found.points.series == first.label].set_index("x")
    assert own.y.dropna().to_dict() == {lr: y for lr, y in better.items() if math.isfinite(y)}
    failing = {lr for lr, y in better.items() if math.isinf(y)}
    assert set(own.index[own.note.str.startswith("collapsed")]) == failing
    assert found.status == "partial"
    own = found.points[found.points.series == second.label]
    assert dict(zip(own.x, own.y.notna(), strict=True)) == {1e-3: True, 2e-3: False}


def test_without_trials_nothing_is_drawn(tmp_path: Path) -> None:
    found = made(tmp_path, [])
    assert found.status == "not-run"


def test_exponents_of_labels_are_raised(tmp_path: Path) -> None:
    figure = find_figure(UNIFIED, "unified.fig6")
    line = replace(figure.draw.lines[0], label="$5 or $6, l^-1/2")
    figure = replace(figure, draw=replace(figure.draw, lines=(line,)))
    trials = [trial(line.system, lr, 100, 40.0) for lr in (1e-3, 2e-3)]
    results = replace(invented.nothing_run([]), trials=trials)
    found = make(figure, FigureData(paper=UNIFIED, results=results, folder=tmp_path, root=tmp_path))
    assert {*found.points.panel} == {line.label}
    assert "l^-1/2" not in found.svg
    assert r"<!-- \$5 or \$6, l$^{-1/2}$ -->" in found.svg
