"""Read the registered questions of a paper: which systems are compared, and by which seeds."""

from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from deepmt.spec.strict import STRICT, Count, Name, OneOrSeveral

FEWEST_PAIRS = 3
"""Of a verdict."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class AskedContrast:
    """Name two systems; of several, the one that predicts dev best with the seed that chooses."""

    system: OneOrSeveral[Name]
    against: OneOrSeveral[Name]
    printed: tuple[str, str] | None = None
    """Rows of papers whose BLEU differ by as much as a paper says."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Question:
    """Define a question with one family of contrasts, registered before its runs."""

    id: Name
    asks: str
    scale: Name
    registered: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$")]
    """When it was written down, UTC; seeds that began before were seen and confirm nothing."""
    seeds: Annotated[tuple[Count, ...], Field(min_length=FEWEST_PAIRS)]
    """Of its pairs; none of them chooses."""
    leads: bool = False
    """Stands in the headline."""
    at: Literal["equal updates", "equal core seconds"] = "equal updates"
    compare: Annotated[tuple[AskedContrast, ...], Field(min_length=1)]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class BoardTables:
    """Name the tables whose systems are compared with each other, and the baseline of all."""

    tables: tuple[Count, ...]
    baseline: Name
