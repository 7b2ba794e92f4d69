"""Accuracy of words by frequency and BLEU by length, as in Liu 2020, Figure 3."""

import re
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.config.figure_options import Breakdown, SystemLine
from deepmt.config.papers import Figure
from deepmt.report.figures import style
from deepmt.report.figures.facts import Fact, Finding, decided, listed, slug
from deepmt.report.figures.points import table_of
from deepmt.report.figures.sources import Sources

SPAN = re.compile(r"\[(\d+),(\d+)\)")
COUNTED = {"word F1": "words", "BLEU": "sentences"}


def gather(figure: Figure, sources: Sources) -> pd.DataFrame:
    """A point a bucket of breakdowns/<figure>.csv, but for buckets that the reference lacks."""
    options: Breakdown = figure.draw
    lines = sources.measured(f"breakdowns/{figure.id}.csv")
    points: list[dict[str, Any]] = []
    for panel in options.panels.values():
        for line in options.lines:
            place = {"panel": panel.label, "series": line.label}
            found = _buckets(lines, line, panel.quantity)
            points += [place | bucket for bucket in found]
    return table_of(points)


def _buckets(lines: pd.DataFrame | None, line: SystemLine, quantity: str) -> list[dict[str, Any]]:
    if lines is None:
        return [{"note": "not run: run the target comparisons"}]
    own = lines[lines.system == line.system]
    found = own[(own.quantity == quantity) & own.value.notna()]
    if found.empty:
        return [{"note": note} for note in own.note.dropna()] or [{"note": "not run"}]
    return [
        {
            "x": shown(p.bucket),
            "y": p.value,
            "run": p.run,
            "seed": f"{p.seed:.0f}",
            "note": f"{p.count:.0f} {COUNTED[quantity]}",
        }
        for p in found.itertuples()
    ]


def shown(bucket: str) -> str:
    """compare-mt's [10,20) as 10-19."""
    found = SPAN.fullmatch(bucket)
    return f"{found[1]}–{int(found[2]) - 1}" if found else bucket.replace(">=", "≥")


def draw(points: pd.DataFrame, figure: Figure) -> Plot:
    """Bars side by side, a group a bucket."""
    options: Breakdown = figure.draw
    plot, axes = style.new_figure([panel.label for panel in options.panels.values()])
    width = 0.8 / len(options.lines)
    for panel in options.panels.values():
        one = axes[panel.label]
        heights = _heights(points, panel.label, options)
        for position, line in enumerate(options.lines):
            left = position * width - 0.4
            places = [bucket + left for bucket in range(len(heights))]
            bars = style.bars(line, position)
            one.bar(places, heights[line.label], width, align="edge", label=line.label, **bars)
        crowded = max(map(len, heights.index), default=0) * len(heights) > 42
        one.set_xticks(range(len(heights)), heights.index, rotation=30 if crowded else 0)
        one.grid(visible=False, axis="x")
        one.set_ylabel(panel.y)
        one.set_xlabel(panel.x)
    style.legend(plot, axes.values())
    return plot


def find(points: pd.DataFrame, figure: Figure) -> Finding:
    """In how many buckets the last system is better than the first."""
    options: Breakdown = figure.draw
    first, last = options.lines[0].label, options.lines[-1].label
    facts: dict[str, Fact] = {}
    texts, everywhere = [], []
    for key, panel in options.panels.items():
        heights = _heights(points, panel.label, options)
        better = heights[last] > heights[first]
        both = heights[[first, last]].notna().all(axis=1)
        everywhere.append(decided(better, heights[first], heights[last]))
        facts[slug(f"{last} better in every bucket of {key}")] = everywhere[-1]
        facts[slug(f"buckets of {key} {last} is better in")] = int(better[both].sum())
        facts[slug(f"buckets of {key}")] = int(both.sum())
        if both.any():
            texts.append(f"{better[both].sum()} of {both.sum()} buckets of {key}")
    facts[slug(f"{last} better everywhere")] = (
        None if None in everywhere else all(fact is True for fact in everywhere)
    )
    if texts:
        return Finding(f"{last} is better than {first} in {listed(texts)}.", facts)
    begun = points.y[points.source == "ours"].notna().any()
    return Finding(f"{first} and {last} have no bucket in common." if begun else "Not run.", facts)


def _heights(points: pd.DataFrame, title: str, options: Breakdown) -> pd.DataFrame:
    """A row a bucket, a column a system; NaN where a system has no value."""
    own = points[(points.panel == title) & points.y.notna()]
    table = own.pivot_table(index="x", columns="series", values="y", sort=False)
    return table.reindex(columns=[line.label for line in options.lines])
