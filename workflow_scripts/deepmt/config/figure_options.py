"""Define the options that papers/*.yaml may give under `draw` of a figure, by its kind.

A figure without `draw` is a diagram.
"""

from collections.abc import Collection, Mapping
from typing import Literal

from pydantic.dataclasses import dataclass

from deepmt.config.strict import STRICT
from deepmt.config.strict_yaml import Node, Problems, read

UNTRAINED = {
    "norm-by-layer": ("encoder_gradient_ratio", "decoder_gradient_ratio"),
    "speed-by-depth": ("tokens_per_s_ratio",),
}
"""Kinds that show no training run, with the measures of each system that claims may compare.

Their models have full size at any scale.
"""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class SystemLine:
    """Describe a curve, bar or level of one system."""

    label: str
    system: str


@dataclass(frozen=True, kw_only=True, config=STRICT)
class DepthLine:
    """Describe a curve with a point for each system, at its depth."""

    label: str
    systems: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class DepthPanel:
    """Describe curves over encoder depth, and levels of other systems."""

    label: str
    y: str
    lines: tuple[DepthLine, ...]
    levels: tuple[SystemLine, ...] = ()


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ScorePanel(DepthPanel):
    """Describe the scores of one task."""

    table: str
    column: str
    """The paper's column of such scores; it defines measure, test sets and direction.

    The axis is logarithmic if lower is better, as for perplexity.
    """


@dataclass(frozen=True, kw_only=True, config=STRICT)
class LearningPanel:
    """Describe the perplexity of one split over training."""

    label: str
    split: Literal["train", "dev"]
    lines: tuple[SystemLine, ...]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class FigureOptions:
    """Hold the kind; a kind that draws a single figure needs no other options."""

    kind: str


@dataclass(frozen=True, kw_only=True, config=STRICT)
class LinesOptions(FigureOptions):
    """Draw one curve or group of bars for each system."""

    lines: tuple[SystemLine, ...]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ScoreByDepth(FigureOptions):
    """Draw scores by depth; scores printed in the paper's tables are drawn separately."""

    x: str = "encoder layers"
    panels: tuple[ScorePanel, ...]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class SpeedByDepth(FigureOptions, DepthPanel):
    """Draw decoding speed by depth, from speed.csv."""

    reference: str
    """The system that ratios are relative to."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class LearningCurve(FigureOptions):
    """Draw perplexity over training."""

    panels: tuple[LearningPanel, ...]


OPTIONS: dict[str, type[FigureOptions]] = {
    "breakdown": LinesOptions,
    "gradient-norms": LinesOptions,
    "layer-shares": FigureOptions,
    "layer-weights": FigureOptions,
    "learning-rates": LinesOptions,
    "learning-curve": LearningCurve,
    "norm-by-layer": FigureOptions,
    "over-budget": LinesOptions,
    "score-by-depth": ScoreByDepth,
    "signal-ratio": LinesOptions,
    "speed-by-depth": SpeedByDepth,
}


def read_draw(
    node: Node,
    systems: Collection[str],
    columns: Mapping[str, Collection[str]],
    problems: Problems,
) -> FigureOptions | None:
    """Return the options under `draw`, or None after adding to `problems`.

    Systems must be the figure's own; tables and their columns must exist.
    """
    if not isinstance(node.value, dict) or "kind" not in node:
        problems.add(node, f"missing key 'kind': one of {', '.join(OPTIONS)}")
        return None
    kind = str(node["kind"].plain())
    if kind not in OPTIONS:
        problems.unknown(node["kind"], kind, OPTIONS, "kind of figure")
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
    """Check all names of systems, tables and columns, at any depth."""
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
