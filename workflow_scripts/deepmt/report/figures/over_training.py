"""Draw curves over training, one value per logged update: r_t, gradient norms, perplexity."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import as_points, curve, has_failed
from deepmt.report.figures.findings import Fact, Finding, above, agreed, all_of, finding, short
from deepmt.report.figures.plotting import CROSS, logarithmic, new_figure, styles
from deepmt.results.failures import FAILED_AT

ENOUGH = 8
"""Minimum number of logged values to draw a conclusion."""
STACKS = ("encoder", "decoder")
Seeds = Sequence[pd.Series]
"""Values by update, one series per seed."""
VALUES: dict[str, Callable[[pd.DataFrame], pd.Series]] = {
    "first": lambda layers: layers.iloc[:, 0],
    "last": lambda layers: layers.iloc[:, -1],
    "first over last": lambda layers: layers.iloc[:, 0] / layers.iloc[:, -1].replace(0, np.nan),
}
"""Functions of a quantity with one value per layer; perplexity has only one value."""


@dataclass(frozen=True)
class TrainingCurve:
    """Define a curve of one system: one of VALUES at each update."""

    panel: str
    label: str
    system: str
    quantity: str
    value: str
    dash: str | None = None


class TrainingFigure(FigureKind):
    """Draw curves over updates, one per seed."""

    y: str
    height = 2.1

    def curves(self) -> list[TrainingCurve]:
        """Return the curves in order."""
        raise NotImplementedError

    def gather(self, data: FigureData) -> pd.DataFrame:
        """Return a point per logged update."""
        points = []
        for one in self.curves():
            for seed, layers in data.training(one.system, one.quantity):
                place = {"panel": one.panel, "series": one.label} | seed
                values = {} if layers.empty else VALUES[one.value](layers).dropna().to_dict()
                points += [place | {"x": x, "y": y} for x, y in values.items()] or [place]
        return as_points(points)

    def draw(self, points: pd.DataFrame) -> Plot:
        """Draw all seeds of a system in one colour; a cross marks where a seed failed."""
        curves = self.curves()
        plot, axes = new_figure([one.panel for one in curves], self.height)
        by_system = styles(one.system for one in curves)
        for one in curves:
            style = by_system[one.system] | ({"linestyle": one.dash} if one.dash else {})
            name, width = one.label, 1.3
            for _, seed in curve(points, one.panel, one.label).groupby("seed"):
                marked = {"markevery": max(1, len(seed) // 6), "linewidth": width}
                axes[one.panel].plot(seed.x, seed.y, label=name, **style | marked)
                if failed := FAILED_AT.search(seed.note.iloc[-1]):
                    before = seed[seed.x <= int(failed[1])]
                    last = before.tail(1) if len(before) else seed.head(1)
                    axes[one.panel].plot(last.x, last.y, color="black", **CROSS)
                name, width = "_", 0.8
        for ax in axes.values():
            logarithmic(ax)
            ax.set_ylabel(self.y)
        ax.set_xlabel("update")
        return plot


def seeds_of(points: pd.DataFrame, panel: str, label: str) -> Seeds:
    """Return the values of a curve by update, one series per seed."""
    return [seed.set_index("x").y for _, seed in curve(points, panel, label).groupby("seed")]


def per_seed(value: Callable[[pd.Series], float], *systems: Seeds) -> list[list[float]]:
    """Return a value of each seed for each system, over the updates that all of them logged.

    There are no values if the seeds have too few updates in common.
    """
    seeds = [seed for system in systems for seed in system]
    common = pd.concat(seeds, axis=1, join="inner").index if seeds else pd.Index([])
    if len(common) < ENOUGH:
        return [[] for _ in systems]
    return [[value(seed.loc[common]) for seed in system] for system in systems]


class SignalRatioFigure(TrainingFigure):
    """Draw r_t = |dL/dh_1| / |dL/dh_N| of the encoder, as in Bapna 2018, Figures 1 to 3."""

    y = "r_t"
    height = 2.2

    def curves(self) -> list[TrainingCurve]:
        """Return one curve for each system."""
        return [
            TrainingCurve(
                "", line.label, line.system, "output_gradients.encoder", "first over last"
            )
            for line in self.options.lines
        ]

    def find(self, points: pd.DataFrame) -> Finding:
        """Describe r_t early and late, how often it vanishes, and how depths compare.

        It vanishes below 0.1; "much smaller" means by a factor of two.
        """
        seeds = {line.label: seeds_of(points, "", line.label) for line in self.options.lines}
        plain = self.options.lines[0].label
        facts: dict[str, Fact] = {}
        texts = []
        for label, own in seeds.items():
            [falls] = per_seed(lambda r: log2(early(r)) - log2(late(r)), own)
            [highest] = per_seed(lambda r: log2(r.max()), own)
            [kept] = per_seed(lambda r: (r >= 0.1).mean(), own)
            facts |= {
                f"{label} high early": above(falls, 1.0),
                f"{label} flat": all_of([above(falls, -1.0), above(1.0, falls)]),
                f"{label} below 1": above(0.0, highest),
                f"{label} looks stable": above(kept, 0.9),
            }
            if label != plain:
                ours, theirs = per_seed(lambda r: log2(r.median()), own, seeds[plain])
                smaller = above(theirs, [1 + value for value in ours])
                facts[f"{label} much smaller than {plain}"] = smaller
            if own:
                low = sum((r < 0.1).sum() for r in own)
                texts.append(
                    f"is {short(median(map(early, own)))} early and"
                    f" {short(median(map(late, own)))} late with {label}, below 0.1 in {low} of"
                    f" {sum(map(len, own))} logged values"
                )
        return finding([f"r_t {'; '.join(texts)}."] if texts else [], facts)


def log2(value: float) -> float:
    """Return the binary logarithm; a gradient that vanished altogether has that of 1e-30."""
    return math.log2(max(value, 1e-30))


def early(values: pd.Series) -> float:
    """Return the median of the first fifth."""
    return float(values.iloc[: math.ceil(len(values) / 5)].median())


def late(values: pd.Series) -> float:
    """Return the median of the last half."""
    return float(values.iloc[len(values) // 2 :].median())


class GradientNormsFigure(TrainingFigure):
    """Draw gradient norms of the first and the last layer, as in Zhang 2019, Figure 4."""

    y = "gradient norm"

    def curves(self) -> list[TrainingCurve]:
        """Return solid curves for first layers, dotted ones for last layers, a panel per stack."""
        return [
            TrainingCurve(
                stack, f"{line.label}, {end} layer", line.system, f"gradients.{stack}", end, dash
            )
            for stack in STACKS
            for line in self.options.lines
            for end, dash in {"first": "-", "last": ":"}.items()
        ]

    def find(self, points: pd.DataFrame) -> Finding:
        """Describe the ratio of the first layer's norm to the last one's, and their stability.

        The gradient vanishes where the first layer's median is less than half of the last one's.
        """
        facts: dict[str, Fact] = {}
        texts = []
        for stack in STACKS:
            shares, changes = {}, {}
            for label in (line.label for line in self.options.lines):
                firsts = seeds_of(points, stack, f"{label}, first layer")
                lasts = seeds_of(points, stack, f"{label}, last layer")
                pairs = list(zip(firsts, lasts, strict=True))
                own = shares[label] = [a / b for a, b in pairs]
                steps = changes[label] = [step(a, b) for a, b in pairs]
                [median_shares] = per_seed(lambda share: log2(share.median()), own)
                vanishes = above(-1.0, median_shares)
                facts[f"{label} {stack} vanishes at the first layer"] = vanishes
                if own:
                    texts.append(
                        f"{short(median(share.median() for share in own))} in the {stack} {label},"
                        " where norms change by a factor of"
                        f" {median(math.exp(change.median()) for change in steps):.2f} between"
                        " logged updates"
                    )
            plain, *remedies = shares
            for label in remedies:
                jumps = per_seed(lambda change: change.median(), changes[plain], changes[label])
                slopes = per_seed(lambda share: log2(share.median()), shares[label], shares[plain])
                facts[f"{plain} {stack} less stable than {label}"] = above(*jumps)
                facts[f"{plain} {stack} steeper than {label}"] = above(*slopes)
        lead = "Median over training of the first layer's gradient norm over the last one's"
        return finding([f"{lead}: {'; '.join(texts)}."] if texts else [], facts)


def step(a: pd.Series, b: pd.Series) -> pd.Series:
    """Return |log norm - previous log norm|, averaged over both layers."""
    return (np.log(a).diff().abs() + np.log(b).diff().abs()).dropna() / 2


class LearningCurveFigure(TrainingFigure):
    """Draw perplexity over training, as in Liu 2020, Figure 2."""

    y = "perplexity"

    def curves(self) -> list[TrainingCurve]:
        """Return one curve per system; the label-smoothed loss is not used."""
        quantities = {"train": "progress.ppl", "dev": "dev.ppl"}
        return [
            TrainingCurve(panel.label, line.label, line.system, quantities[panel.split], "first")
            for panel in self.options.panels
            for line in panel.lines
        ]

    def find(self, points: pd.DataFrame) -> Finding:
        """Describe the lowest perplexity of each system, and which failed to train."""
        facts: dict[str, Fact] = {}
        sentences = []
        for panel in self.options.panels:
            plain = panel.lines[0].label
            at_best = {line.label: lowest(points, panel.label, line.label) for line in panel.lines}
            texts = []
            for label, least in at_best.items():
                own = seeds_of(points, panel.label, label)
                lost = np.isinf(least)
                facts[f"{panel.split} {label} failed"] = agreed(lost.tolist())
                if label != plain:
                    facts[f"{panel.split} {label} lower than {plain}"] = lower(
                        least, at_best[plain]
                    )
                    falls = [fall(seed) for seed in seeds_of(points, panel.label, plain)]
                    hardly = above([fall(seed) / 4 for seed in own], falls)
                    facts[f"{panel.split} {plain} hardly falls beside {label}"] = hardly
                low = f"falls to {short(median(map(min, own)))}" if own else "has no values"
                share = f" ({lost.sum()} of {len(lost)} seeds failed)" if lost.any() else ""
                texts += [f"{label} {low}{share}"] if len(least) else []
            sentences += [f"{panel.label}: {'; '.join(texts)}."] if texts else []
        return finding(sentences, facts)


def lowest(points: pd.DataFrame, panel: str, label: str) -> pd.Series:
    """Return the lowest perplexity of each seed: infinite if failed, NaN without values."""
    own = points[(points.panel == panel) & (points.series == label) & (points.seed != "")]
    lost = has_failed(own.note).groupby(own.seed).any()
    return own.groupby("seed").y.min().mask(lost, math.inf)


def lower(one: pd.Series, other: pd.Series) -> bool | None:
    """Check if the lowest perplexity is lower; where all seeds of one side failed, it is not."""
    failed = np.isinf(one).mean(), np.isinf(other).mean()
    if set(failed) == {0, 1}:
        return failed == (0, 1)
    return above(np.log(other), np.log(one))


def fall(values: pd.Series) -> float:
    """Return by how much log perplexity falls; NaN with too few values."""
    return float(np.log(values.iloc[0] / values.min())) if len(values) >= ENOUGH else math.nan
