"""The figure of quality against budget: milestones of all seeds, and the cost of an update."""

import json
from pathlib import Path
from typing import Any

import invented
import pytest
from full_sizes import UNIFIED

from deepmt.measured.records import Record
from deepmt.measured.table import Measured
from deepmt.report.figures import over_budget
from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.figure_files import make
from deepmt.study.papers import find_figure, rows_of_system

FIGURE = find_figure(UNIFIED, "unified.fig1")
DEEP = FIGURE.draw.lines[-1]


def quality(update: int, better: float) -> dict[str, float]:
    return {"bleu": update / 100 + better, "chrf": update / 50}


def seed(
    number: int, updates: tuple[int, ...], better: float = 0.0, untranslated: int = 0
) -> Record:
    """A seed that is measured at these updates, and better by so much BLEU."""
    *before, last = updates
    end = quality(last, better).items()
    return invented.seed_of(
        invented.spec(2, updates=last, checkpoint_every=500, milestones=tuple(before)),
        number,
        run="run",
        epochs=last / 500,
        milestones=[
            invented.milestone(
                update, 9000 / update, **quality(update, better) if update != untranslated else {}
            )
            for update in before
        ],
        perplexities={"dev": 9000 / last},
        scores={"dev": {name: {"value": value, "signature": "made up"} for name, value in end}},
    )


@pytest.fixture
def drawn(tmp_path: Path):
    def draw(records: list[Record], core_seconds: float | None = 0.36) -> Any:
        if core_seconds is not None:
            systems = {DEEP.system: {"run": "run", "core_seconds": core_seconds}}
            (tmp_path / "records/bench").mkdir(parents=True)
            (tmp_path / "records/bench/core-seconds.json").write_text(
                json.dumps({"systems": systems})
            )
        results = Measured(
            scale="toy",
            runs={},
            rows={rows_of_system(UNIFIED, DEEP.system)[0].id: "run"},
            unavailable={},
            selected=frozenset(),
            records=tuple(records),
        )
        known = FigureData(paper=UNIFIED, results=results, folder=tmp_path, root=tmp_path)
        return make(FIGURE, known)

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
    found = drawn([seed(1, (500, 1000, 2000), untranslated=500)])
    own = found.points[found.points.series == DEEP.label]
    assert own.groupby("panel").x.apply(list).to_dict() == {
        "dev perplexity": [1, 2, 4], "chrF on dev": [2, 4], "BLEU on dev": [2, 4]
    }  # fmt: skip
    assert not any(DEEP.label in line for line in found.missing)


def test_a_system_without_a_timing_has_no_curve_against_cost(drawn) -> None:
    found = drawn([seed(1, (500, 1000))], core_seconds=None)
    own = found.points[found.points.series == DEEP.label]
    assert own.core_hours.isna().all()
    assert own.y.notna().all()


def test_curves_begin_where_their_ends_can_be_told_apart(drawn, monkeypatch) -> None:
    seen, course = [], over_budget.course
    monkeypatch.setattr(
        over_budget, "course", lambda own, x: (seen.extend(own.x), course(own, x))[1]
    )
    assert drawn([seed(1, (500, 1000, 4000))]).shows
    assert set(seen) == {2, 8}


def test_a_run_without_milestones_is_not_drawn(drawn) -> None:
    found = drawn([seed(1, (2000,))])
    assert found.status == "not-run"
    assert any("not run to any milestone" in line for line in found.missing)
