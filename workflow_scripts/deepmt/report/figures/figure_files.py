"""Write one figure as files: picture and points."""

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.style
import pandas as pd

from deepmt.config.papers import Figure
from deepmt.files import replacing, write_json, write_text
from deepmt.report.figures import plotting
from deepmt.report.figures.breakdown_bars import BreakdownFigure
from deepmt.report.figures.by_depth import ScoreByDepthFigure, SpeedByDepthFigure
from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import missing, status
from deepmt.report.figures.layer_mixtures import LayerSharesFigure, LayerWeightsFigure
from deepmt.report.figures.learning_rates import LearningRatesFigure
from deepmt.report.figures.norm_by_layer import NormByLayerFigure
from deepmt.report.figures.over_budget import OverBudgetFigure
from deepmt.report.figures.over_training import (
    GradientNormsFigure,
    LearningCurveFigure,
    SignalRatioFigure,
)

KINDS: dict[str, type[FigureKind]] = {
    "breakdown": BreakdownFigure,
    "gradient-norms": GradientNormsFigure,
    "layer-shares": LayerSharesFigure,
    "layer-weights": LayerWeightsFigure,
    "learning-rates": LearningRatesFigure,
    "learning-curve": LearningCurveFigure,
    "norm-by-layer": NormByLayerFigure,
    "over-budget": OverBudgetFigure,
    "score-by-depth": ScoreByDepthFigure,
    "signal-ratio": SignalRatioFigure,
    "speed-by-depth": SpeedByDepthFigure,
}


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """Hold a figure before it is written."""

    svg: str
    points: pd.DataFrame
    summary: dict[str, Any]


def make(figure: Figure, data: FigureData) -> Drawn:
    """Gather the points of a figure, and draw them.

    Raises:
        ValueError: it is a diagram.
    """
    if figure.draw is None:
        raise ValueError(f"{figure.id} shows no data: it has no `draw`")
    kind = KINDS[figure.draw.kind](figure, data.paper)
    points = kind.gather(data)
    state, absent = status(points)
    label = f"{kind.label(points, data)} {absent}".strip()
    summary = {
        "figure": figure.id,
        "title": f"Figure {figure.number}: {figure.plots}",
        "status": state,
        "label": label,
        "runs": sorted(set(points.run) - {""}),
        "missing": missing(points),
    }
    svg = io.StringIO()
    with matplotlib.style.context(plotting.STYLE, after_reset=True):
        panels = points.panel[points.source == "ours"]
        plot = plotting.placeholder(panels) if state == "not-run" else kind.draw(points)
        plotting.legend(plot)
        plotting.footer(plot, label)
        about = {"Title": summary["title"], "Description": label}
        # Without its date, a figure of the same points has the same bytes.
        plot.savefig(svg, format="svg", metadata=about | {"Date": None})
    return Drawn(svg=svg.getvalue(), points=points, summary=summary)


def write(drawn: Drawn, folder: Path) -> None:
    """Write <id>.svg, .csv and .json."""
    name = drawn.summary["figure"]
    write_text(folder / f"{name}.svg", drawn.svg)
    with replacing(folder / f"{name}.csv") as temporary:
        drawn.points.to_csv(temporary, index=False, lineterminator="\n")
    write_json(folder / f"{name}.json", drawn.summary)
