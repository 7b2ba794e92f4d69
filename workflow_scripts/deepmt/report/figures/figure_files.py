"""Write one figure as files: picture and points."""

import base64
import io
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import matplotlib.style
import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.base.files import replacing, write_text
from deepmt.base.printable import say
from deepmt.report.figures import plotting
from deepmt.report.figures.breakdown_bars import BreakdownFigure
from deepmt.report.figures.by_depth import ScoreByDepthFigure, SpeedByDepthFigure
from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import FigureStatus, as_points, missing, ours, status
from deepmt.report.figures.layer_mixtures import LayerSharesFigure, LayerWeightsFigure
from deepmt.report.figures.learning_rates import LearningRatesFigure
from deepmt.report.figures.over_budget import OverBudgetFigure
from deepmt.report.figures.over_training import (
    GradientNormsFigure,
    LearningCurveFigure,
    SignalRatioFigure,
)
from deepmt.report.figures.untrained_lines import GrowthByDepthFigure, NormByLayerFigure
from deepmt.study.papers import Figure

KINDS: dict[str, type[FigureKind]] = {
    "breakdown": BreakdownFigure,
    "gradient-norms": GradientNormsFigure,
    "growth-by-depth": GrowthByDepthFigure,
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
DARK = (
    "<style>@media(prefers-color-scheme:dark)"
    "{svg{filter:invert(.93) hue-rotate(180deg) brightness(1.35)}}</style>\n  "
)
"""For readers of dark pages, wherever the picture is shown; hues stay."""


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """Hold a figure before it is written."""

    figure: Figure
    status: FigureStatus
    label: str
    """Scale, corpora, and how much was not run."""
    missing: Sequence[str]
    """Our own points without a value, with the reasons."""
    points: pd.DataFrame
    svg: str = ""
    """Empty if there is nothing to show."""
    inches: float = 0.0
    """Width of the picture, in print."""

    @property
    def kind(self) -> str:
        """Return how it is drawn."""
        assert self.figure.draw is not None
        return self.figure.draw.kind

    @property
    def shows(self) -> bool:
        """Check if there is a picture."""
        return bool(self.svg)

    @property
    def image(self) -> str:
        """Return the picture as a data URL, since ids of inline SVGs would clash."""
        return f"data:image/svg+xml;base64,{base64.b64encode(self.svg.encode()).decode()}"


def make(figure: Figure, data: FigureData) -> Drawn:
    """Gather the points of a figure with data, and draw them; if that fails, its label says so."""
    assert figure.draw is not None
    kind = KINDS[figure.draw.kind](figure, data)
    try:
        points = as_points(kind.gather())
        state, absent = status(points)
        label = f"{kind.label(points)} {absent}".strip()
        drawn = Drawn(
            figure=figure, status=state, label=label, missing=missing(points), points=points
        )
        # One place alone shows nothing.
        if not (ours(points).groupby("panel").x.nunique() > 1).any():
            return drawn
        with matplotlib.style.context(plotting.STYLE, after_reset=True):
            plot = kind.draw(points)
            svg = as_svg(plot, figure, label)
            return replace(drawn, svg=svg, inches=plot.get_figwidth())
    except Exception as error:
        say(traceback.format_exc())
        label = f"This figure could not be drawn: {type(error).__name__}: {error}"
        return Drawn(
            figure=figure, status="not-drawn", label=label, missing=(), points=as_points([])
        )


def as_svg(plot: Plot, figure: Figure, label: str) -> str:
    """Return a figure with legend and footer as SVG; the same points make the same bytes."""
    plotting.legend(plot)
    plotting.footer(plot, label)
    plotting.raise_exponents(plot)
    about = {"Title": f"Figure {figure.number}: {figure.plots}", "Description": label, "Date": None}
    svg = io.StringIO()
    plot.savefig(svg, format="svg", metadata=about)
    head, tag, rest = svg.getvalue().partition("<metadata>")
    return f"{head}{DARK}{tag}{rest}"


def write(drawn: Drawn, folder: Path) -> None:
    """Write <id>.csv, and <id>.svg if there is something to show."""
    path = folder / f"{drawn.figure.id}.svg"
    path.unlink(missing_ok=True)
    if drawn.shows:
        write_text(path, drawn.svg)
    with replacing(path.with_suffix(".csv")) as temporary:
        drawn.points.to_csv(temporary, index=False, lineterminator="\n")
