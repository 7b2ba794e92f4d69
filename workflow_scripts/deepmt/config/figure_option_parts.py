"""What the options of several kinds of figures are made of."""

from dataclasses import dataclass
from typing import ClassVar, Literal

Dash = Literal["solid", "dashed", "dotted", "dashdot"]


@dataclass(frozen=True, kw_only=True)
class Line:
    """What one curve, bar or level is called, and how it looks where that carries a meaning."""

    label: str
    colour: int | None = None
    """Of the palette, from 0; by position if none is given. A colour brings its marker."""
    dash: Dash | None = None


@dataclass(frozen=True, kw_only=True)
class SystemLine(Line):
    """The curve of one system."""

    system: str


@dataclass(frozen=True, kw_only=True)
class SystemsLine(Line):
    """A curve with a point for each system."""

    systems: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Options:
    """What every kind has; `x` and `y` are titles of axes, with units."""

    kind: ClassVar[str]
    trained: ClassVar[bool] = True
    """Whether its points come from training runs, which rows=all then makes."""
    courses: ClassVar[bool] = False
    """Whether it shows what happened while they trained."""
    x: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """What it reads besides records and courses; {figure} stands for the figure's id."""
        return ()

    @property
    def tables(self) -> tuple[str, ...]:
        """Tables whose every row it shows."""
        return ()
