"""Provide panels, colours, logarithmic axes, legend and footer for all figures."""

import math
import textwrap
from collections.abc import Iterable, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, Literal, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Plot
from matplotlib.ticker import LogFormatter, MaxNLocator, NullLocator, StrMethodFormatter
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from deepmt.base.files import visible

# matplotlib's own: another DejaVu, as a system may have, numbers its glyphs in another way.
font_manager.fontManager.ttflist.clear()
for font in visible(Path(mpl.get_data_path(), "fonts/ttf"), "DejaVuSans*.ttf"):
    font_manager.fontManager.addfont(font)
Name = TypeVar("Name")
STYLE = Path(__file__).with_name("paper.mplstyle")
CROSS: dict[str, Any] = {"marker": "x", "linestyle": "none", "markersize": 6, "clip_on": False}
"""Marker of a system that failed to train."""
FILLS = ("full", "none", "left", "top")
NAME = 8.5
"""Points between the names of two lines."""
MUTED = "#555555"
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
FEW_TICKS = 5
"""Ratio of an axis' ends below which it has too few of the numbers 1, 2, ... 9 times 10^k."""


def new_figure(panels: Iterable[str], height: float = 2.1) -> tuple[Plot, dict[str, Axes]]:
    """Return a figure with stacked panels by name, one column wide, `height` inches each."""
    names = list(dict.fromkeys(panels))
    plot = Plot(figsize=(3.5, height * len(names)))
    axes = dict(zip(names, plot.subplots(len(names), squeeze=False)[:, 0], strict=True))
    for name, ax in axes.items():
        ax.set_title(name)
    return plot, axes


def styles(names: Iterable[Name]) -> dict[Name, dict[str, Any]]:
    """Return colour, marker and line style by name; the same names get the same styles.

    Where the looks of the style sheet begin anew, markers are filled otherwise.
    """
    looks = mpl.rcParams["axes.prop_cycle"]
    rounds = ({**look, "fillstyle": fill} for fill in cycle(FILLS) for look in looks)
    return dict(zip(dict.fromkeys(names), rounds, strict=False))


class PlainNumbers(LogFormatter):
    """Format 0.6 or 6×10⁵ without mathtext, which would also parse labels that contain $."""

    def __call__(self, value: float, position: int | None = None) -> str:
        """Return the label, or "" where matplotlib shows none."""
        if not super().__call__(value, position):
            return ""
        if 1e-3 <= abs(value) < 1e4:
            return f"{value:g}"
        factor, _, exponent = f"{value:.5e}".partition("e")
        power = f"10{str(int(exponent)).translate(SUPERSCRIPTS)}"
        return power if float(factor) == 1 else f"{float(factor):g}×{power}"


def logarithmic(axes: Axes) -> None:
    """Make the y axis of drawn curves logarithmic, with labels at any range."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.yaxis.set_major_formatter(PlainNumbers())
    axes.yaxis.set_minor_formatter(PlainNumbers(minor_thresholds=(2, 0.5)))
    if high < FEW_TICKS * low:
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.yaxis.set_minor_locator(NullLocator())


def name_lines(axes: Axes, side: Literal["left", "right"] = "right") -> None:
    """Write the names of the lines beside the axes, each near its line's end; no legend then."""
    end, place, align = {"left": (0, -0.12, "right"), "right": (-1, 1.12, "left")}[side]
    named = [line for line in axes.get_lines() if np.size(line.get_xydata())]
    plot = axes.get_figure(root=True)
    if not named or plot is None:
        return
    plot.draw_without_rendering()  # lays out the axes, whose height is needed
    ends = np.array([np.asarray(line.get_xydata())[end] for line in named])
    heights = axes.transAxes.inverted().transform(axes.transData.transform(ends))[:, 1]
    order = np.argsort(heights)
    gap = NAME / (axes.get_window_extent().height * 72 / plot.dpi)
    for number, height in zip(order, spread_out(heights[order], gap), strict=True):
        colour = named[number].get_color()
        axes.annotate(
            str(named[number].get_label()),
            xy=ends[number],
            xytext=(place, height),
            textcoords="axes fraction",
            ha=align,
            va="center",
            color=colour,
            fontsize=6.5,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "lw": 0.4,
                "relpos": (side == "left", 0.5),
                "shrinkA": 1,
                "shrinkB": 3,
            },
        )
    for line in axes.get_lines():
        line.set_label("_")


def spread_out(wanted: Sequence[float] | NDArray[np.float64], gap: float) -> list[float]:
    """Return places at least `gap` apart, within 0 and 1 if they fit, near the sorted ones."""
    steps = gap * np.arange(len(wanted))
    near = isotonic_regression(np.asarray(wanted) - steps).x
    return list(near.clip(0, max(0, 1 - steps[-1])) + steps)


def legend(plot: Plot) -> None:
    """Add one legend above all panels, unless there is one or it would be empty."""
    handles: dict[str, Any] = {}
    for axes in plot.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    if not handles or plot.legends:
        return
    for columns in (3, 2, 1):
        made = plot.legend(handles.values(), handles, loc="outside upper left", ncols=columns)
        if columns == 1 or made.get_window_extent().width <= plot.bbox.width:
            break
        made.remove()
    heighten(plot, 0.16 * math.ceil(len(handles) / columns))


def footer(plot: Plot, text: str) -> None:
    """Add scale and measurements below the panels."""
    lines = textwrap.wrap(text, 68)
    plot.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=6.5, color=MUTED)
    heighten(plot, 0.12 * len(lines))


def heighten(plot: Plot, inches: float) -> None:
    """Increase the height for text, so that panels keep their size."""
    plot.set_figheight(plot.get_figheight() + inches)
