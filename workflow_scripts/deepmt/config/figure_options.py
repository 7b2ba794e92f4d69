"""The options that papers/*.yaml may give under `draw` of a figure, by its kind.

A figure without `draw` is a diagram. Standard library only: Snakemake reads this too.
"""

from collections.abc import Collection, Mapping
from typing import Literal

from pydantic.dataclasses import dataclass

from deepmt.config.strict import STRICT
from deepmt.config.strict_yaml import Node, Problems, read

UNTRAINED = ("norm-by-layer", "speed-by-depth")
"""Kinds that show no training run: full size at any scale."""
OVER_TRAINING = (
    "gradient-norms", "signal-ratio", "learning-curve", "layer-shares", "layer-weights",
)  # fmt: skip
"""Kinds that show what happened while systems trained."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class SystemLine:
    """A curve, bar or level of one system."""

    label: str
    system: str


@dataclass(frozen=True, kw_only=True, config=STRICT)
class DepthLine:
    """A curve with a point for each system, at its depth."""

    label: str
    systems: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class DepthPanel:
    """Curves over encoder depth, and levels of other systems."""

    label: str
    y: str
    lines: tuple[DepthLine, ...]
    levels: tuple[SystemLine, ...] = ()


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ScorePanel(DepthPanel):
    """Scores of one task."""

    table: str
    column: str
    """Where the paper prints such scores: measure, test sets and what is better are that column's.

    Axes of what is better the lower it is, such as perplexity, are logarithmic.
    """


@dataclass(frozen=True, kw_only=True, config=STRICT)
class LearningPanel:
    """Perplexity of one split over training; facts compare each other line with the first."""

    label: str
    split: Literal["train", "dev"]
    lines: tuple[SystemLine, ...]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class FigureOptions:
    """The kind alone: one that is drawn for one figure knows the rest itself."""

    kind: str


@dataclass(frozen=True, kw_only=True, config=STRICT)
class LinesOptions(FigureOptions):
    """One curve or group of bars for each system; facts compare the others with the first."""

    lines: tuple[SystemLine, ...]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ScoreByDepth(FigureOptions):
    """Scores by depth; those that the paper's tables print are drawn apart."""

    x: str = "encoder layers"
    panels: tuple[ScorePanel, ...]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class SpeedByDepth(FigureOptions, DepthPanel):
    """Decoding speed by depth, from speed.csv."""

    reference: str
    """The system that ratios are taken against."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class LearningCurve(FigureOptions):
    """Perplexity over training."""

    panels: tuple[LearningPanel, ...]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class StabilityGrid(FigureOptions):
    """Which rows of a table trained, by depth and learning rate."""

    table: str


OPTIONS: dict[str, type[FigureOptions]] = {
    "breakdown": LinesOptions,
    "gradient-norms": LinesOptions,
    "layer-shares": FigureOptions,
    "layer-weights": FigureOptions,
    "learning-curve": LearningCurve,
    "norm-by-layer": FigureOptions,
    "score-by-depth": ScoreByDepth,
    "signal-ratio": LinesOptions,
    "speed-by-depth": SpeedByDepth,
    "stability-grid": StabilityGrid,
}


def read_draw(
    node: Node,
    systems: Collection[str],
    columns: Mapping[str, Collection[str]],
    problems: Problems,
) -> FigureOptions | None:
    """Return the options under `draw`.

    The systems that they name must be the figure's own; tables and their columns must exist.
    """
    if not isinstance(node.value, dict) or "kind" not in node:
        problems.add(node, f"missing key 'kind': one of {', '.join(OPTIONS)}")
        return None
    kind = node["kind"].value
    if kind not in OPTIONS:
        problems.unknown(node["kind"], str(kind), OPTIONS, "kind of figure")
        return None
    found: FigureOptions | None = read(node, OPTIONS[kind], problems)
    if found is not None:
        _check_names(node, systems, columns, problems)
    return found


def _check_names(
    node: Node,
    systems: Collection[str],
    columns: Mapping[str, Collection[str]],
    problems: Problems,
) -> None:
    """Check whatever names a system, table or column, however deep."""
    known = {"system": systems, "systems": systems, "reference": systems, "table": columns}
    if "table" in node:
        known["column"] = columns.get(node["table"].value, ())
    for key, child in node.value.items():
        names = child.value if isinstance(child.value, list) else [child]
        for name in names:
            if isinstance(name.value, dict):
                _check_names(name, systems, columns, problems)
            elif key in known and name.value not in known[key]:
                problems.unknown(name, name.value, known[key], key)
