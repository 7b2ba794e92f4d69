"""What papers/*.yaml may say under `draw` of a figure: one dataclass a kind.

A figure without `draw` is a diagram. Standard library only: Snakemake reads this too.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from deepmt.config.figure_option_parts import Line, Options, SystemLine, SystemsLine
from deepmt.config.spec import KEYS
from deepmt.config.strict_yaml import Node, Problems, did_you_mean, read
from deepmt.report.figures.course_options import (
    GradientCourse,
    LayerWeights,
    LearningCurve,
    ShareCourse,
    SignalRatio,
)


@dataclass(frozen=True, kw_only=True)
class ProbeLine(Line):
    """A system of a file of probes."""

    probe: str
    """Its name there."""
    group: str
    """What it is an example of: the finding is about groups."""


@dataclass(frozen=True, kw_only=True)
class NormByLayer(Options):
    """Gradient norm of every layer at initialisation; full size at any scale."""

    kind: ClassVar[str] = "norm-by-layer"
    trained: ClassVar[bool] = False
    probes: str
    """A file of probes/ without its ending."""
    panels: dict[str, str]
    """Stack of the probes -> name of its panel."""
    y: str
    lines: tuple[ProbeLine, ...]
    log: bool = False

    @property
    def files(self) -> tuple[str, ...]:
        """One file of probes."""
        return (f"probes/{self.probes}.csv",)


@dataclass(frozen=True, kw_only=True)
class DepthPanel:
    """Scores of one task."""

    label: str
    table: str
    column: str
    """Where the paper prints such scores: our measure and test sets are that column's."""
    y: str
    better: Literal["higher", "lower"] = "higher"
    """Of a perplexity, lower: it has logarithmic axes."""
    lines: tuple[SystemsLine, ...]
    levels: tuple[SystemLine, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ScoreByDepth(Options):
    """Score against depth, one system a point; what the paper's tables print stands apart."""

    kind: ClassVar[str] = "score-by-depth"
    depth: Literal["encoder", "decoder"] = "encoder"
    panels: dict[str, DepthPanel]
    """By a short name, which the facts of several panels bear."""
    alike: float = 0.5
    """Scores that differ by no more are taken for comparable."""
    at: tuple[int, ...] = ()
    """Depths that the paper speaks of, beyond which something changes."""


@dataclass(frozen=True, kw_only=True)
class SpeedByDepth(Options):
    """Decoding speed against depth, from speed.csv; full size at any scale."""

    kind: ClassVar[str] = "speed-by-depth"
    trained: ClassVar[bool] = False
    depth: Literal["encoder", "decoder"] = "encoder"
    reference: str
    """The system that ratios are taken against."""
    label: str = ""
    y: str
    lines: tuple[SystemsLine, ...]
    levels: tuple[SystemLine, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """Every time and speed."""
        return ("speed.csv",)


@dataclass(frozen=True, kw_only=True)
class BreakdownPanel:
    """One quantity of a breakdown by buckets."""

    label: str
    quantity: Literal["word F1", "BLEU"]
    x: str
    y: str


@dataclass(frozen=True, kw_only=True)
class Breakdown(Options):
    """Accuracy of words by their frequency and BLEU by length, as bars."""

    kind: ClassVar[str] = "breakdown"
    panels: dict[str, BreakdownPanel]
    """By a short name, which facts bear."""
    lines: tuple[SystemLine, ...]
    """Facts compare the last one with the first."""

    @property
    def files(self) -> tuple[str, ...]:
        """Made of the translations by the rule `breakdown`."""
        return ("breakdowns/{figure}.csv",)


@dataclass(frozen=True, kw_only=True)
class StabilityGrid(Options):
    """Which rows of a table trained and which diverged, and when."""

    kind: ClassVar[str] = "stability-grid"
    table: str
    across: dict[str, str]
    """Settings that make the columns -> how a value is written, e.g. "{:g} layers"."""

    @property
    def tables(self) -> tuple[str, ...]:
        """The one."""
        return (self.table,)

    def __post_init__(self) -> None:
        """Refuse what is no setting, or cannot be written so."""
        for key, form in self.across.items():
            if key not in KEYS:
                raise ValueError(f"across: unknown setting '{key}'{did_you_mean(key, KEYS)}")
            if "{" not in form or form.format(1) == form:
                raise ValueError(f"across.{key} is {form!r}; the value's place is {{}}")


OPTIONS: dict[str, type[Options]] = {
    options.kind: options
    for options in (
        NormByLayer,
        ScoreByDepth,
        SpeedByDepth,
        Breakdown,
        StabilityGrid,
        GradientCourse,
        SignalRatio,
        ShareCourse,
        LayerWeights,
        LearningCurve,
    )
}


def read_draw(
    node: Node,
    systems: Collection[str],
    columns: Mapping[str, Collection[str]],
    problems: Problems,
) -> Options | None:
    """The options under `draw`.

    The systems that they name must be the figure's own; tables and their columns must exist.
    """
    if not isinstance(node.value, dict) or "kind" not in node:
        problems.add(node, f"missing key 'kind': one of {', '.join(sorted(OPTIONS))}")
        return None
    kind = node["kind"].value
    if kind not in OPTIONS:
        problems.unknown(node["kind"], str(kind), OPTIONS, "kind of figure")
        return None
    others = {key: child for key, child in node.value.items() if key != "kind"}
    found: Options | None = read(replace(node, value=others), OPTIONS[kind], problems)
    if found is not None:
        _check_names(node, systems, columns, problems)
    return found


def _check_names(
    node: Node,
    systems: Collection[str],
    columns: Mapping[str, Collection[str]],
    problems: Problems,
) -> None:
    """Whatever names a system, table or column, however deep."""
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
