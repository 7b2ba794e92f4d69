"""How every figure looks: one column, readable at 7 cm, in grey and by colour-blind readers.

Colours are Okabe and Ito's (2008). A series also has a dash and a marker of its own.
"""

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterSciNotation

from deepmt.config.figure_options import Line

WIDTH = 3.5
"""Inches: one column of a page."""
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
HATCHES = ("", "////", "....", "xxxx")
DASHES: dict[str, Any] = {
    "solid": "-",
    "dashed": (0, (4, 1.6)),
    "dotted": (0, (1.2, 1.4)),
    "dashdot": (0, (5, 1.5, 1.2, 1.5)),
}
HOLLOW: dict[str, Any] = {"markerfacecolor": "white", "linewidth": 0.8}
"""What the paper prints."""
CROSS: dict[str, Any] = {"marker": "x", "linestyle": "none", "markersize": 6, "clip_on": False}
"""A system that diverged, at the lower end of the axes."""
CARD: dict[str, Any] = {"bbox": {"facecolor": "white", "edgecolor": "none", "pad": 1}}
"""Behind words that stand on a hatch."""
MUTED = "#555555"
LONGEST = 22
"""Characters of a label that leaves room for another one beside it."""
SETTINGS: Any = {
    "svg.fonttype": "path",
    "svg.hashsalt": "deepmt",
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.titlelocation": "left",
    "axes.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.3,
    "lines.markersize": 4,
    "errorbar.capsize": 2,
    "hatch.linewidth": 0.6,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "figure.constrained_layout.use": True,
}


@contextmanager
def applied() -> Iterator[None]:
    """Draw and save in here, whatever settings the machine has of its own."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(SETTINGS)
        yield


def new_figure(panels: Sequence[str], height: float = 1.75) -> tuple[Figure, dict[str, Axes]]:
    """Panels below one another, each `height` inches high, by name."""
    figure = Figure(figsize=(WIDTH, height * len(panels)))
    axes = figure.subplots(len(panels), squeeze=False)[:, 0]
    for one, name in zip(axes, panels, strict=True):
        one.set_title(name)
    return figure, dict(zip(panels, axes, strict=True))


def look(line: Line, position: int) -> dict[str, Any]:
    """Colour, dash and marker of a curve."""
    colour = position if line.colour is None else line.colour
    dash = line.dash or tuple(DASHES)[position % len(DASHES)]
    return {
        "color": COLOURS[colour % len(COLOURS)],
        "marker": MARKERS[colour % len(MARKERS)],
        "linestyle": DASHES[dash],
    }


def bars(line: Line, position: int) -> dict[str, Any]:
    """Colour and hatch of bars."""
    colour = position if line.colour is None else line.colour
    hatch = HATCHES[position % len(HATCHES)]
    return {"color": COLOURS[colour % len(COLOURS)], "hatch": hatch, "edgecolor": "white"}


class PlainNumbers(LogFormatterSciNotation):
    """0.6 in place of 6 x 10^-1, as far as that is short."""

    def __call__(self, value: float, position: int | None = None) -> str:
        """No label where matplotlib wants none."""
        text = super().__call__(value, position)
        return f"{value:g}" if text and 1e-3 <= abs(value) < 1e4 else text


def logarithmic(axes: Axes) -> None:
    """A logarithmic y axis."""
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(PlainNumbers())
    axes.yaxis.set_minor_formatter(PlainNumbers(minor_thresholds=(1, 0.5)))


def legend(figure: Figure, axes: Iterable[Axes], columns: int = 2) -> None:
    """One legend above all panels; a label that stands in several is shown once."""
    found: dict[str, Artist] = {}
    for one in axes:
        for handle, label in zip(*one.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    if found:
        columns = 1 if max(map(len, found)) > LONGEST else columns
        figure.legend(
            handles=list(found.values()),
            labels=list(found),
            loc="outside upper left",
            ncols=columns,
        )
        heighten(figure, 0.16 * math.ceil(len(found) / columns))


def heighten(figure: Figure, inches: float) -> None:
    """Make room for words, so that panels keep their size."""
    figure.set_figheight(figure.get_figheight() + inches)


def footer(figure: Figure, label: str) -> None:
    """The scale and what was measured, below the panels."""
    lines = textwrap.wrap(label, 68)
    figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=6.5, color=MUTED)
    heighten(figure, 0.12 * len(lines))


def placeholder(panels: Sequence[str], x: str) -> Figure:
    """The axes of a figure that nothing was measured for."""
    figure, axes = new_figure(panels or [""], height=1.2)
    for one in axes.values():
        centre: dict[str, Any] = {"ha": "center", "va": "center", "transform": one.transAxes}
        one.text(0.5, 0.5, "not run", color=MUTED, **centre)
        one.set_xticks([])
        one.set_yticks([])
    one.set_xlabel(x)
    return figure
