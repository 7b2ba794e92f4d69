"""Claims of a paper as data: each is a few comparisons between cells that decide it.

    judge: [{of: t3.r13.bleu_tok, above: t3.r01.bleu_tok, by: 0.96, within: 0.5}]

A cell is a row's id and a column, or a table's id, a system that it has no row for, and a column;
a fact is a figure's id and a name; all without the paper's key. A side of a comparison is one
cell, a fact that is a number, a number, or several of them, whose mean is meant.
"""

import difflib
from collections.abc import Collection, Iterator
from dataclasses import field, replace
from typing import Any, Literal

from pydantic.dataclasses import dataclass

from deepmt.config.strict import STRICT
from deepmt.config.strict_yaml import Node, Problems

SIDES = ("of", "each", "above", "below", "near", "beats", "ties", "beside", "apart")
CELLS_ALONE = ("of", "each", "beats", "ties", "beside", "apart")
RELATIONS = ("above", "below", "near", "beats", "ties", "outcome", "fact")
SIZES = ("by", "by_at_least", "times", "times_at_least")


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Check:
    """One comparison; a claim holds if all of its checks do."""

    of: tuple[Any, ...] = ()
    each: tuple[Any, ...] = ()
    """In place of `of`: the check is made for every one of them."""
    above: tuple[Any, ...] = ()
    below: tuple[Any, ...] = ()
    near: tuple[Any, ...] = ()
    """Apart by no more than `within`."""
    by: float | None = None
    """The difference that the paper states, give or take `within`; it is never negative."""
    by_at_least: float | None = None
    times: float | None = None
    """The larger over the smaller, give or take `within`."""
    times_at_least: float | None = None
    within: float | None = None
    outcome: Literal["trained", "failed"] | None = None
    """How the training of the cell's system ended."""
    beats: tuple[Any, ...] = ()
    """Significantly better than every one of them, by the test over sentences."""
    ties: tuple[Any, ...] = ()
    """Not significantly different from any of them."""
    beside: tuple[Any, ...] = ()
    """A finished system that is not half as good as this one neither trained nor failed."""
    apart: tuple[Any, ...] = ()
    """Cells that must be runs of their own on one budget; where a scale makes them one run, or
    trains them on different numbers of tokens, nothing is measured."""
    diverged: Literal["worse"] | None = None
    """Of a claim about training: a system that diverged is worse than one that did not."""
    fact: str = ""
    """Something that a figure of ours finds true or false."""

    def __post_init__(self) -> None:
        """Refuse what is no single comparison."""
        relations = [name for name in RELATIONS if getattr(self, name)]
        if len(relations) != 1:
            raise ValueError(f"needs exactly one of {', '.join(RELATIONS)}")
        if bool(self.of) + bool(self.each) != (relations != ["fact"]):
            raise ValueError("needs either `of` or `each`; a fact needs neither")
        sizes = [name for name in SIZES if getattr(self, name) is not None]
        if len(sizes) > 1 or (sizes and relations[0] not in ("above", "below")):
            raise ValueError(f"{', '.join(sizes)}: one size may stand beside `above` or `below`")
        if self.diverged and relations[0] not in ("above", "below"):
            raise ValueError("`diverged` belongs to `above` and `below`")
        if (self.within is not None) != (relations == ["near"] or sizes in (["by"], ["times"])):
            raise ValueError("`within` belongs to `near`, `by` and `times`, and they need it")

    @property
    def sized(self) -> bool:
        """Whether it states how large a difference is."""
        return any(getattr(self, name) is not None for name in SIZES)

    @property
    def cells(self) -> tuple[str, ...]:
        """Ids of the cells that it names."""
        named = [operand for side in SIDES for operand in getattr(self, side)]
        return tuple(operand for operand in named if isinstance(operand, str))

    def one_by_one(self) -> tuple["Check", ...]:
        """The checks that `each` stands for, or this one alone."""
        return tuple(replace(self, of=(one,), each=()) for one in self.each) or (self,)


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Claim:
    """A checkable sentence of the paper."""

    id: str
    where: str
    kind: Literal["quantitative", "qualitative", "method", "literature"]
    statement: str
    numbers: dict[str, Any] = field(default_factory=dict)
    rests_on: tuple[str, ...] = ()
    """Rows, tables and figures."""
    systems: tuple[str, ...] = ()
    """What it needs beyond them."""
    check: str = ""
    """How it fares against the paper's own tables."""
    judge: tuple[Check, ...] = ()
    """What decides it here."""
    unjudged: str = ""
    """Why it cannot be judged, or which part of it is not."""
    tests: tuple[str, ...] = ()
    """Tests that check a definition in place of a measurement: file below tests/ and name."""

    def __post_init__(self) -> None:
        """Refuse a claim of which nobody says how it is judged."""
        if not (self.judge or self.unjudged or self.tests):
            raise ValueError("say under `judge` what decides it, or under `unjudged` why nothing")


def list_sides(root: Node) -> None:
    """Let one cell or number of a file papers/<key>.yaml stand for a list of one."""
    for check in checks_of(root):
        for name in SIDES:
            if name in check and not isinstance(check[name].value, list):
                side = check[name]
                check.value[name] = replace(side, value=[side])


def checks_of(root: Node) -> Iterator[Node]:
    """Every check of a file, if it is a mapping as it should be."""
    for claim in _list(root, "claims"):
        yield from (check for check in _list(claim, "judge") if isinstance(check.value, dict))


def _list(node: Node, section: str) -> list[Node]:
    """Entries of a section that is a list."""
    if not isinstance(node.value, dict) or section not in node:
        return []
    return node[section].value if isinstance(node[section].value, list) else []


def check_operands(
    root: Node, cells: Collection[str], figures: Collection[str], problems: Problems
) -> None:
    """Whatever names a cell or a figure must name one that the paper has."""
    for check in checks_of(root):
        for name in SIDES:
            for operand in check[name].value if name in check else ():
                if isinstance(operand.value, str):
                    _check_name(operand, operand.value, cells, figures, problems)
                elif type(operand.value) not in (int, float) or name in CELLS_ALONE:
                    problems.add(operand, "must be a cell, such as t1.r2.bleu")
        if "fact" in check:
            _check_name(check["fact"], str(check["fact"].value), (), figures, problems)


def _check_name(
    node: Node, name: str, cells: Collection[str], figures: Collection[str], problems: Problems
) -> None:
    """A cell, or a figure and any name: which facts a figure has, only its points tell."""
    figure, dot, fact = name.partition(".")
    if name in cells or (figure in figures and fact):
        return
    near = difflib.get_close_matches(name, [*cells, *(f"{f}{dot}{fact}" for f in figures)], n=3)
    guess = f"did you mean {', '.join(near)}?" if near else "see the tables and figures above"
    problems.add(node, f"unknown {'cell' if cells else 'fact of a figure'} '{name}'; {guess}")
