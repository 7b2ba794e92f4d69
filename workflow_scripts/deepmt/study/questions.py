"""Read the registered questions of a paper: which systems are compared, and by which seeds."""

from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from deepmt.settings.strict import STRICT, Count, Name, OneOrSeveral

FEWEST_PAIRS = 3
"""Of a verdict."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class AskedContrast:
    """Name two systems; of several, the one that predicts dev best with the seed that chooses."""

    system: OneOrSeveral[Name]
    against: OneOrSeveral[Name]
    printed: tuple[str, str] | None = None
    """Rows of papers whose BLEU differ by as much as a paper says."""


Time = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$")]
"""ISO 8601, UTC."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Question:
    """Define a question with one family of contrasts, registered before its runs."""

    id: Name
    asks: str
    scale: Name
    registered: Time
    """When it was written down."""
    seeds: Annotated[tuple[Count, ...], Field(min_length=FEWEST_PAIRS)]
    """Of its pairs; none of them chooses."""
    seeds_fixed: Time | None = None
    """When its seeds were last changed, if after it was registered."""
    leads: bool = False
    """Stands in the headline."""
    at: Literal["equal updates", "equal core seconds"] = "equal updates"
    compare: Annotated[tuple[AskedContrast, ...], Field(min_length=1)]

    @property
    def fixed(self) -> str:
        """Return when question and seeds were both fixed; runs that began before were known."""
        return self.seeds_fixed or self.registered


@dataclass(frozen=True, kw_only=True, config=STRICT)
class BoardTables:
    """Name the tables whose systems are compared with each other, and the baseline of all."""

    scale: str
    """README has the board of this scale, and so have the pages of all others."""
    tables: tuple[Count, ...]
    baseline: Name
