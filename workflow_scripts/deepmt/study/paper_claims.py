"""Read a paper's claims; a few comparisons between cells decide each of them.

    judge: [{of: t3.r13.bleu_tok, above: t3.r01.bleu_tok, by: 0.96, within: 0.5}]

A cell is a row's id and a column; or the id of a table, a system without a row in it, and a column;
or the id of a figure of untrained models, a system and a measure. All ids omit the paper's key. A
side of a comparison is a cell or a number, or several of them, which are averaged.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from pydantic.dataclasses import dataclass

from deepmt.base.errors import UserError
from deepmt.settings.strict import STRICT, Name, NotNegative, Number, OneOrSeveral, Positive
from deepmt.settings.strict_yaml import Problems

SIDES = ("of", "each", "either", "above", "below", "near", "beats", "ties", "beside", "apart")
RELATIONS = ("above", "below", "near", "beats", "ties", "outcome")
SIZES = ("by", "by_at_least", "times", "times_at_least")
Operand: TypeAlias = str | Number
"""A cell, or a number."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Check:
    """Hold one comparison; a claim holds if all of its checks do."""

    of: OneOrSeveral[str] = ()
    each: OneOrSeveral[str] = ()
    """In place of `of`: the check is made for each of them."""
    either: OneOrSeveral[str] = ()
    """In place of `of`: readings of one system. It holds for one of them, or fails for them all."""
    above: OneOrSeveral[Operand] = ()
    below: OneOrSeveral[Operand] = ()
    near: OneOrSeveral[Operand] = ()
    """Values that differ by no more than `within`."""
    by: NotNegative | None = None
    """The difference stated in the paper, give or take `within`; never negative."""
    by_at_least: NotNegative | None = None
    times: Positive | None = None
    """The ratio of the larger to the smaller, give or take `within`."""
    times_at_least: Positive | None = None
    within: NotNegative | None = None
    outcome: Literal["trained", "failed"] | None = None
    """How the training of the cell's system ended."""
    beats: OneOrSeveral[str] = ()
    """Cells that are significantly worse, by the test over sentences."""
    ties: OneOrSeveral[str] = ()
    """Cells that are not significantly different."""
    beside: OneOrSeveral[str] = ()
    """A finished system less than half as good as these counts as neither trained nor failed."""
    apart: OneOrSeveral[str] = ()
    """Cells that must come from separate runs with one budget; if a scale makes them one run, or
    trains them on different numbers of tokens, the check is not measured."""
    diverged: Literal["worse"] | None = None
    """In a claim about training: a system that diverged is worse than one that did not."""

    def __post_init__(self) -> None:
        """Raise ValueError unless this is exactly one comparison."""
        relations = [name for name in RELATIONS if getattr(self, name)]
        if len(relations) != 1:
            raise UserError(f"needs exactly one of {', '.join(RELATIONS)}")
        if bool(self.of) + bool(self.each) + bool(self.either) != 1:
            raise UserError("needs one of `of`, `each` and `either`")
        sizes = [name for name in SIZES if getattr(self, name) is not None]
        if len(sizes) > 1 or (sizes and relations[0] not in ("above", "below")):
            raise UserError(f"{', '.join(sizes)}: give at most one, with `above` or `below`")
        if self.diverged and relations[0] not in ("above", "below"):
            raise UserError("`diverged` needs `above` or `below`")
        if (self.within is not None) != (relations == ["near"] or sizes in (["by"], ["times"])):
            raise UserError("`within` is for `near`, `by` and `times`, which need it")

    @property
    def sized(self) -> bool:
        """Check if it states how large a difference is."""
        return any(getattr(self, name) is not None for name in SIZES)

    @property
    def cells(self) -> tuple[str, ...]:
        """Return the ids of the cells that it names."""
        named = [operand for side in SIDES for operand in getattr(self, side)]
        return tuple(operand for operand in named if isinstance(operand, str))

    def one_by_one(self) -> tuple["Check", ...]:
        """Return one check for each cell of `each`, or this one alone."""
        return tuple(replace(self, of=(one,), each=()) for one in self.each) or (self,)

    def readings(self) -> tuple["Check", ...]:
        """Return one check for each cell of `either`."""
        return tuple(replace(self, of=(one,), either=()) for one in self.either)


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Claim:
    """Represent a checkable sentence of the paper."""

    id: Name
    where: str
    statement: str
    judge: tuple[Check, ...] = ()
    """The comparisons that decide it here."""
    unchecked: tuple[str, ...] = ()
    """The parts of the statement that no comparison covers; it then holds in part at most."""
    unjudged: str = ""
    """The reason why nothing decides it."""
    tests: tuple[str, ...] = ()
    """Tests that check a definition in place of a measurement: file below tests/ and name."""

    def __post_init__(self) -> None:
        """Raise ValueError if nothing says how the claim is judged."""
        if not (self.judge or self.unjudged or self.tests):
            raise UserError("needs `judge` (what decides it), `unjudged` (why not) or `tests`")
        if self.judge and self.unjudged:
            raise UserError("`judge` and `unjudged`: a part without a check is `unchecked`")
        if self.unchecked and not self.judge:
            raise UserError("`unchecked` is for parts of a claim with `judge`")


def check_operands(claims: Sequence[Claim], cells: Collection[str], problems: Problems) -> None:
    """Check that the paper has all cells that its claims name."""
    for number, claim in enumerate(claims):
        for index in range(len(claim.judge)):
            for side in SIDES:
                problems.check_names(("claims", number, "judge", index, side), cells, "cell")
