"""Define the interface of all kinds of figures."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.config.papers import Figure, Paper
from deepmt.report.figures.figure_data import FigureData


class FigureKind:
    """Gather the points of a figure, and draw them."""

    def __init__(self, figure: Figure, paper: Paper) -> None:
        self.figure, self.paper = figure, paper
        self.options: Any = figure.draw

    def gather(self, data: FigureData) -> pd.DataFrame:
        """Return the points, including missing ones."""
        raise NotImplementedError

    def draw(self, points: pd.DataFrame) -> Plot:
        """Draw the points; at least one has a value."""
        raise NotImplementedError

    def label(self, points: pd.DataFrame, data: FigureData) -> str:
        """Return scale and corpora, and a note if the numbers are not comparable."""
        return data.label(set(points.run) - {""})
