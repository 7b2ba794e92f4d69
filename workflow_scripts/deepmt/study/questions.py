"""Read the questions of a paper: which systems are compared, or may train, and by which seeds."""

from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from deepmt.base.errors import UserError
from deepmt.settings.strict import STRICT, Count, Name, OneOrSeveral

FEWEST_PAIRS = 3
"""Of a verdict."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Asked:
    """Name two systems that are compared, or one that may train.

    Of several, the one counts that predicts dev best with the seed that chooses.
    """

    system: OneOrSeveral[Name] = ()
    against: OneOrSeveral[Name] = ()
    trains: Name | None = None
    says: Literal["better", "worse", "trains", "fails"] | None = None
    """What the question's paper says of it."""
    printed: tuple[str, str] | None = None
    """Rows of papers whose BLEU differ by as much as a paper says."""

    def __post_init__(self) -> None:
        """Raise ValueError unless two systems are compared, or one may train."""
        both = bool(self.system and self.against)
        if both == bool(self.trains) or bool(self.system or self.against) != both:
            raise UserError("needs `system` and `against`, or `trains` alone")
        if self.says and (self.says in ("better", "worse")) != both:
            raise UserError("`says` is better or worse of two systems, trains or fails of one")


Time = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$")]
"""ISO 8601, UTC."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Question:
    """Define a question with one family of contrasts.

    A registered one was written down before its runs, with scale and seeds. One that repeats what a
    `paper` finds is answered at every scale by all seeds that its systems have.
    """

    id: Name
    asks: str
    paper: Name | None = None
    scale: Name | None = None
    registered: Time | None = None
    """When it was written down."""
    seeds: tuple[Count, ...] = ()
    """Of its pairs; none of them chooses."""
    seeds_fixed: Time | None = None
    """When its seeds were last changed, if after it was registered."""
    leads: bool = False
    """Stands in the headline."""
    at: Literal["equal updates", "equal core seconds"] = "equal updates"
    compare: Annotated[tuple[Asked, ...], Field(min_length=1)]

    def __post_init__(self) -> None:
        """Raise ValueError unless it is registered, or says what a paper finds."""
        if self.registered and not (self.scale and len(self.seeds) >= FEWEST_PAIRS):
            raise UserError(f"`registered` needs `scale`, and {FEWEST_PAIRS} `seeds` or more")
        if not self.registered and not (self.paper and all(one.says for one in self.compare)):
            raise UserError("needs `registered`, or `paper`, and `says` in all that it compares")
        if not self.registered and (self.scale or self.seeds or self.seeds_fixed or self.leads):
            raise UserError("`scale`, `seeds`, `seeds_fixed` and `leads` need `registered`")

    @property
    def fixed(self) -> str:
        """Return when question and seeds were both fixed; runs that began before were known."""
        return self.seeds_fixed or self.registered or ""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class BoardTables:
    """Name the tables whose systems are compared with each other, and the baseline of all."""

    scale: str
    """README has the board of this scale, and so have the pages of all others."""
    tables: tuple[Count, ...]
    baseline: Name
