"""What every kind of figure does."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.config.papers import Figure, Paper
from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.findings import Finding


class FigureKind:
    """Gathers the points of a figure, draws them, and says what they alone show."""

    def __init__(self, figure: Figure, paper: Paper) -> None:
        self.figure, self.paper = figure, paper
        self.options: Any = figure.draw

    def gather(self, data: FigureData) -> pd.DataFrame:
        """Return the points, also the missing ones."""
        raise NotImplementedError

    def draw(self, points: pd.DataFrame) -> Plot:
        """Draw points, of which at least one is there."""
        raise NotImplementedError

    def find(self, points: pd.DataFrame) -> Finding:
        """Return the finding and its facts."""
        raise NotImplementedError

    def label(self, points: pd.DataFrame, data: FigureData) -> str:
        """Return scale and corpora, and whether the numbers compare with the paper's."""
        return data.label(set(points.run) - {""})
