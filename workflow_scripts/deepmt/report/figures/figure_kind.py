"""Define the interface of all kinds of figures."""

from collections.abc import Iterable
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.figure_points import Point, ours
from deepmt.study.papers import Figure


class FigureKind:
    """Gather the points of a figure, and draw them."""

    about = ""
    """What was measured, if it is the same at every scale."""

    def __init__(self, figure: Figure, data: FigureData) -> None:
        self.figure, self.data = figure, data
        self.options: Any = figure.draw

    def gather(self) -> Iterable[Point]:
        """Return the points, including missing ones."""
        raise NotImplementedError

    def draw(self, points: pd.DataFrame) -> Plot:
        """Draw the points; at least one has a value."""
        raise NotImplementedError

    def label(self, points: pd.DataFrame) -> str:
        """Return scale and corpora, and a note if the numbers are not comparable."""
        if self.about:
            return "This figure has not been measured." if ours(points).empty else self.about
        return self.data.label(set(points.run) - {""})
