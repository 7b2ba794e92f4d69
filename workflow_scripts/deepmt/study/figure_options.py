"""Define the options that papers/*.yaml may give under `draw` of a figure, by its kind.

A figure without `draw` is a diagram.
"""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from deepmt.settings.strict import STRICT, Distinct
from deepmt.settings.strict_yaml import Location, Problems

UNTRAINED = {
    "norm-by-layer": ("encoder_gradient_ratio", "decoder_gradient_ratio"),
    "speed-by-depth": ("tokens_per_s_ratio",),
    "growth-by-depth": (),
}
"""Kinds that show no training run, with the measures of each system that claims may compare.

Their models are the same at any scale.
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

    kind: Literal["layer-shares", "layer-weights"]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class LinesOptions:
    """Draw one curve or group of bars for each system."""

    kind: Literal[
        "breakdown",
        "gradient-norms",
        "growth-by-depth",
        "learning-rates",
        "norm-by-layer",
        "over-budget",
        "signal-ratio",
    ]
    lines: tuple[SystemLine, ...]
    groups: Distinct[str] = ()
    """Groups of rows whose systems are drawn as well."""
    without: Distinct[str] = ()
    """Systems of these groups that are not drawn."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ScoreByDepth:
    """Draw scores by depth; scores printed in the paper's tables are drawn separately."""

    kind: Literal["score-by-depth"]
    x: str = "encoder layers"
    panels: tuple[ScorePanel, ...]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class SpeedByDepth(DepthPanel):
    """Draw decoding speed by depth, from speed.csv."""

    kind: Literal["speed-by-depth"]
    reference: str
    """The system that ratios are relative to."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class LearningCurve:
    """Draw perplexity over training."""

    kind: Literal["learning-curve"]
    panels: tuple[LearningPanel, ...]


Draw = Annotated[
    FigureOptions | LinesOptions | ScoreByDepth | SpeedByDepth | LearningCurve,
    Field(discriminator="kind"),
]
"""The options of any kind."""


def check_draw(
    value: Any,
    location: Location,
    systems: Collection[str],
    columns: Mapping[str, Collection[str]],
    problems: Problems,
) -> None:
    """Check all names in `draw`, at any depth.

    Systems must be the figure's own; tables and their columns must exist.
    """
    if isinstance(value, list):
        for number, item in enumerate(value):
            check_draw(item, (*location, number), systems, columns, problems)
    elif isinstance(value, dict):
        known = {"system": systems, "systems": systems, "reference": systems, "table": columns}
        if "table" in value:
            known["column"] = columns.get(value["table"], ())
        for key, child in value.items():
            if key in known:
                problems.check_names((*location, key), known[key])
            check_draw(child, (*location, key), systems, columns, problems)
