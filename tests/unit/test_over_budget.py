"""The figure of quality against budget: milestones of all seeds, and the cost of an update."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from full_sizes import UNIFIED

from deepmt.config.papers import find_figure
from deepmt.report.figures import over_budget
from deepmt.report.figures.figure_files import make

FIGURE = find_figure(UNIFIED, "unified.fig1")
DEEP = FIGURE.draw.lines[-1]


def scored(bleu: float) -> dict[str, Any]:
    return {"bleu": SimpleNamespace(value=bleu), "chrf": SimpleNamespace(value=2 * bleu)}


def seed(number: int, updates: tuple[int, ...], better: float = 0.0) -> SimpleNamespace:
    *before, last = updates
    return SimpleNamespace(
        run="run",
        seed=number,
        updates=last,
        epochs=last / 500,
        outcome="finished",
        milestones=[
            SimpleNamespace(
                update=update,
                perplexities={"dev": 9000 / update},
                scores={"dev": {"bleu": update / 100 + better, "chrf": update / 50}},
            )
            for update in before
        ],
        perplexities={"dev": 9000 / last},
        scores={"dev": scored(last / 100 + better)},
    )


@pytest.fixture
def drawn(tmp_path: Path, monkeypatch):
    def draw(records: list[Any], core_seconds: float | None = 0.36):
        if core_seconds is not None:
            systems = {DEEP.system: {"run": "run", "core_seconds": core_seconds}}
            timed = {"systems": systems, "hardware": {"name": "EPYC"}}
            timed |= {"commits": ["abc"]}
            (tmp_path / "bench").mkdir()
            (tmp_path / "bench/core-seconds.json").write_text(json.dumps(timed))
        monkeypatch.setattr(over_budget, "trains", lambda record: record.outcome == "finished")
        monkeypatch.setattr(over_budget, "failures", lambda records: "")
        results = SimpleNamespace(records_of=lambda row: records if row == DEEP.system else [])
        return make(
            FIGURE,
            SimpleNamespace(
                paper=UNIFIED,
                archive=tmp_path,
                results=results,
                row=lambda system: system,
                label=lambda runs: "Made up.",
            ),
        )

    return draw


def test_every_milestone_and_the_end_of_each_seed_is_a_point(drawn) -> None:
    found = drawn([seed(1, (500, 1000, 2000)), seed(2, (500, 1000, 2000), better=1.0)])
    own = found.points[(found.points.series == DEEP.label)]
    bleu = own[own.panel == "BLEU on dev"].groupby("seed").y.apply(list).to_dict()
    assert bleu == {"1": [5, 10, 20], "2": [6, 11, 21]}
    perplexity = own[(own.panel == "dev perplexity") & (own.seed == "1")]
    assert perplexity.y.tolist() == [18, 9, 4.5]
    assert perplexity.x.tolist() == [1, 2, 4]
    assert perplexity.core_hours.tolist() == pytest.approx([0.05, 0.1, 0.2])
    assert found.status == "partial"


def test_a_milestone_that_was_not_translated_has_a_point_of_perplexity_alone(drawn) -> None:
    early = seed(1, (500, 1000, 2000))
    early.milestones[0].scores.clear()
    found = drawn([early])
    own = found.points[found.points.series == DEEP.label]
    assert own.groupby("panel").x.apply(list).to_dict() == {
        "dev perplexity": [1, 2, 4], "chrF on dev": [2, 4], "BLEU on dev": [2, 4]
    }  # fmt: skip
    assert not any(DEEP.label in line for line in found.missing)


@pytest.mark.parametrize("recorded", [False, True])
def test_the_axis_names_the_systems_whose_cost_no_seed_says(
    drawn, tmp_path: Path, recorded: bool
) -> None:
    own = {"throughput": {"core_seconds": 50.0}, "hardware": {"name": "EPYC"}}
    line = {"run": "run", "updates": 100, "commit": "abc"} | own
    (tmp_path / "toy.jsonl").write_text(json.dumps(line) if recorded else "")
    plot = drawn([seed(1, (500, 1000))])
    hours = plot.points[plot.points.series == DEEP.label].core_hours
    assert hours.max() == pytest.approx(1000 * (0.5 if recorded else 0.36) / 3600)
    assert (f"{DEEP.label}: timed apart" in plot.svg) != recorded


def test_a_system_without_a_timing_has_no_curve_against_cost(drawn) -> None:
    found = drawn([seed(1, (500, 1000))], core_seconds=None)
    own = found.points[found.points.series == DEEP.label]
    assert own.core_hours.isna().all()
    assert own.y.notna().all()


def test_curves_begin_where_their_ends_can_be_told_apart(drawn, monkeypatch) -> None:
    seen = []
    monkeypatch.setattr(over_budget, "draw_system", lambda ax, own, *look: seen.extend(own.x))
    drawn([seed(1, (500, 1000, 4000))])
    assert set(seen) == {2, 8}


def test_a_run_without_milestones_is_not_drawn(drawn) -> None:
    found = drawn([seed(1, (2000,))])
    assert found.status == "not-run"
    assert any("not run to any milestone" in line for line in found.missing)
