"""Curves over the depth of systems, and the level of others: how they are drawn."""

from collections.abc import Iterator
from typing import Protocol

import pandas as pd
from matplotlib.axes import Axes

from deepmt.config.figure_options import SystemLine, SystemsLine
from deepmt.report.figures import style
from deepmt.report.figures.points import curve, diverged

ENDS = {"higher": 0.04, "lower": 0.96}
"""Where a cross stands for a system that diverged, by what is better: near the other end."""


class Panel(Protocol):
    """Whatever has curves and levels."""

    @property
    def lines(self) -> tuple[SystemsLine, ...]:
        """With a point for each system."""

    @property
    def levels(self) -> tuple[SystemLine, ...]:
        """Of single systems."""


def places(panel: Panel) -> Iterator[tuple[str, str]]:
    """Label and system of every point and level."""
    yield from ((line.label, system) for line in panel.lines for system in line.systems)
    yield from ((level.label, level.system) for level in panel.levels)


def draw_curves(
    axes: Axes,
    points: pd.DataFrame,
    title: str,
    panel: Panel,
    source: str = "ours",
    better: str = "higher",
) -> None:
    """Ours with filled markers and spreads, the paper's with hollow ones."""
    points = points[points.panel == title]
    for position, line in enumerate(panel.lines):
        look = style.look(line, position)
        own = curve(points, title, line.label, source)
        if source == "paper":
            axes.plot(own.x, own.y, label=line.label, **look | style.HOLLOW)
        elif len(own):
            axes.plot(own.x, own.y, label=line.label, **look)
            axes.errorbar(own.x, own.y, own.spread, fmt="none", ecolor=look["color"], elinewidth=1)
        lost = diverged(points[points.series == line.label])
        if len(lost) and source == "ours":
            axes.plot(
                lost.x.astype(float),
                [ENDS[better]] * len(lost),
                transform=axes.get_xaxis_transform(),
                label=f"{line.label}: diverged",
                **style.look(line, position) | style.CROSS,
            )
    for position, level in enumerate(panel.levels, len(panel.lines)):
        for point in curve(points, title, level.label, source).itertuples():
            look = style.look(level, position) | {"marker": "", "linewidth": 1}
            axes.axhline(point.y, label=level.label, **look)
    axes.set_xticks(sorted(points.x.dropna().astype(int).unique()))
