"""Provide panels, colours, logarithmic axes, legend and footer for all figures."""

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, TypeVar

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure as Plot
from matplotlib.figure import SubFigure
from matplotlib.text import Text
from matplotlib.ticker import LogFormatter, MaxNLocator, NullLocator, StrMethodFormatter

from deepmt.base.files import visible
from deepmt.report.exponents import EXPONENT, raised_math

# matplotlib's own: another DejaVu, as a system may have, numbers its glyphs in another way.
font_manager.fontManager.ttflist.clear()
for font in visible(Path(mpl.get_data_path(), "fonts/ttf"), "*.ttf"):
    font_manager.fontManager.addfont(font)
Name = TypeVar("Name")
STYLE = Path(__file__).with_name("paper.mplstyle")
GREY = "#bbbbbb"
CROSS: dict[str, Any] = {"marker": "x", "linestyle": "none", "markersize": 6, "clip_on": False}
"""Marker of a system that failed to train."""
FILLS = ("full", "none", "left", "top")
MUTED = "#555555"
LETTERS = 19.5
"""Of the footer, per inch."""
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


def small_multiples(
    plot: Plot | SubFigure, names: Sequence[str], columns: int, x: str
) -> dict[str, Axes]:
    """Return a panel a name, in rows; all have the same axes, and the lowest ones name them."""
    rows = math.ceil(len(names) / columns)
    grid = [*plot.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flat]
    for ax in grid[len(names) :]:
        ax.remove()
    for ax in grid[max(0, len(names) - columns) : len(names)]:
        ax.tick_params(labelbottom=True)
        ax.set_xlabel(x)
    for ax, name in zip(grid, names, strict=False):
        ax.set_title(name)
    return dict(zip(names, grid, strict=False))


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
    lines = textwrap.wrap(text, round(LETTERS * plot.get_figwidth()))
    plot.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=6.5, color=MUTED)
    heighten(plot, 0.12 * len(lines))


def raise_exponents(plot: Plot) -> None:
    """Raise the exponents of titles, labels and legends; no other text is mathtext."""
    for text in texts(plot):
        if EXPONENT.search(said := text.get_text()):
            text.set(text=raised_math(said), parse_math=True)


def texts(artist: Artist) -> Iterator[Text]:
    """Yield the texts below an artist, but those of ticks: `findobj` would make all minor ones."""
    if isinstance(artist, Text):
        yield artist
    below = [artist.label] if isinstance(artist, Axis) else artist.get_children()
    for each in below:
        yield from texts(each)


def heighten(plot: Plot, inches: float) -> None:
    """Increase the height for text, so that panels keep their size."""
    plot.set_figheight(plot.get_figheight() + inches)
