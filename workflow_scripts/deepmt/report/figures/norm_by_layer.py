"""Gradient norm of every layer of untrained models, as in Zhang 2019, Figure 1."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Plot
from matplotlib.ticker import MaxNLocator

from deepmt.config.figure_options import NormByLayer
from deepmt.config.papers import Figure
from deepmt.report.figures import style
from deepmt.report.figures.facts import Fact, Finding, decided, finite, listed, slug, span
from deepmt.report.figures.points import curve, ours, table_of
from deepmt.report.figures.sources import Sources

QUANTITY = "gradient_norm"
NOT_MEASURED = "not measured: run the target probes"


def gather(figure: Figure, sources: Sources) -> pd.DataFrame:
    """A point a layer; one without a layer where a system was not measured."""
    options: NormByLayer = figure.draw
    probes = sources.measured(f"probes/{options.probes}.csv")
    points: list[dict[str, Any]] = []
    for stack, panel in options.panels.items():
        for line in options.lines:
            place = {"panel": panel, "series": line.label}
            layers = _layers(probes, line.probe, stack)
            points += [place | layer for layer in layers] or [place | {"note": NOT_MEASURED}]
    return table_of(points)


def _layers(probes: pd.DataFrame | None, system: str, stack: str) -> list[dict[str, Any]]:
    if probes is None:
        return []
    of_system = (probes["system"] == system) & (probes["stack"] == stack)
    return [
        {"x": int(p.layer), "y": p.ours, "spread": p.spread, "note": f"mean of {p.seeds} seeds"}
        for p in probes[of_system & (probes["quantity"] == QUANTITY)].itertuples()
    ]


def label(points: pd.DataFrame, sources: Sources) -> str:
    """The same at every scale."""
    if ours(points).empty:
        return "Nothing of this figure has been measured."
    return "Untrained models of the paper's own size, on random Zipf tokens."


def draw(points: pd.DataFrame, figure: Figure) -> Plot:
    """One panel a stack."""
    options: NormByLayer = figure.draw
    plot, axes = style.new_figure(list(options.panels.values()))
    for panel, one in axes.items():
        for position, line in enumerate(options.lines):
            own = curve(points, panel, line.label)
            if not own.empty:
                one.plot(own.x, own.y, label=line.label, **style.look(line, position))
        if options.log:
            style.logarithmic(one)
        one.xaxis.set_major_locator(MaxNLocator(integer=True))
        one.set_ylabel(options.y)
    one.set_xlabel(options.x)
    style.legend(plot, axes.values())
    return plot


def find(points: pd.DataFrame, figure: Figure) -> Finding:
    """What share of the highest layer's norm the lowest layer has."""
    options: NormByLayer = figure.draw
    shares = _shares(points, options)
    groups = dict(list(shares.groupby("group", sort=False)))
    facts: dict[str, Fact] = {}
    texts = []
    for group, own in groups.items():
        for stack in options.panels:
            share = own[stack]
            facts[slug(f"{group} {stack} falls to layer 1")] = decided(share < 1, share)
            facts[slug(f"{group} {stack} rises to layer 1")] = decided(share > 1, share)
            facts[slug(f"{group} {stack} least share")] = finite(share.min())
            facts[slug(f"{group} {stack} greatest share")] = finite(share.max())
        for before, stack in pairwise(options.panels):
            steeper = decided(own[stack] < own[before], own[stack], own[before])
            facts[slug(f"{group} {stack} steeper than {before}")] = steeper
        there = own[list(options.panels)].dropna(axis="columns", how="all")
        spans = [f"{span(there[stack].dropna())} ({stack})" for stack in there]
        texts += [f"{listed(spans)} with {group}"] if spans else []
    plain, *remedies = groups.items()
    for group, own in remedies:
        for stack in options.panels:
            a, b = own[stack].to_numpy(), plain[1][stack].to_numpy()
            flatter = decided(abs(np.log(a)) < abs(np.log(b)), a, b)
            facts[slug(f"{group} {stack} flatter than {plain[0]}")] = flatter
    if not texts:
        return Finding("Not measured.", facts)
    lead = "The lowest layer has this share of the highest one's gradient norm"
    return Finding(f"{lead}: {'; '.join(texts)}.", facts)


def _shares(points: pd.DataFrame, options: NormByLayer) -> pd.DataFrame:
    """Norm of the lowest layer over that of the highest, a row a line, a column a stack."""
    lines = []
    for line in options.lines:
        curves = {s: curve(points, p, line.label).y for s, p in options.panels.items()}
        shares = {s: y.iloc[0] / y.iloc[-1] if len(y) else math.nan for s, y in curves.items()}
        lines.append({"group": line.group} | shares)
    return pd.DataFrame(lines)
