"""What papers/*.yaml may say of figures that show what happened during training."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from deepmt.config.figure_option_parts import Options, SystemLine


@dataclass(frozen=True, kw_only=True)
class CourseOptions(Options):
    """What these kinds have in common."""

    courses: ClassVar[bool] = True
    y: str
    x: str = "update"


@dataclass(frozen=True, kw_only=True)
class GradientCourse(CourseOptions):
    """Gradient norm of the first and the last layer over training."""

    kind: ClassVar[str] = "gradient-course"
    panels: dict[str, str]
    """Stack -> name of its panel."""
    lines: tuple[SystemLine, ...]
    """Facts compare the first one with each other one."""

    def __post_init__(self) -> None:
        """Refuse what is no stack."""
        if not self.panels or not set(self.panels) <= {"encoder", "decoder"}:
            raise ValueError("panels: must name encoder, decoder or both")


@dataclass(frozen=True, kw_only=True)
class SignalRatio(CourseOptions):
    """r_t, the gradient at the first encoder layer's output over that at the last one's."""

    kind: ClassVar[str] = "signal-ratio"
    lines: tuple[SystemLine, ...]
    """Facts compare each other one with the first."""


@dataclass(frozen=True, kw_only=True)
class ShareCourse(CourseOptions):
    """What the last decoder layer takes of each encoder layer, over training."""

    kind: ClassVar[str] = "share-course"
    system: str
    named: tuple[int, ...] = ()
    """Encoder layers that the paper names, the embeddings being 0; the others are drawn thinly."""


@dataclass(frozen=True, kw_only=True)
class LayerWeights(CourseOptions):
    """What each layer takes of each earlier one, after training."""

    kind: ClassVar[str] = "layer-weights"
    system: str
    column: int
    """An encoder layer, whose successive readers are shown; the middle one if there are too few."""


@dataclass(frozen=True, kw_only=True)
class CurvePanel:
    """Learning curves side by side."""

    label: str
    text: Literal["progress", "dev"]
    """Perplexity of the training text since the last look, or of the dev set."""
    y: str
    lines: tuple[SystemLine, ...]
    """Facts compare each other one with the first."""


@dataclass(frozen=True, kw_only=True)
class LearningCurve(Options):
    """Perplexity over training."""

    kind: ClassVar[str] = "learning-curve"
    courses: ClassVar[bool] = True
    x: str = "update"
    panels: dict[str, CurvePanel]
    """By a short name, which facts bear."""
