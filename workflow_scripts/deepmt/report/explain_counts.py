"""Trace what README counts of the numbers that papers print."""

import re
from collections import Counter
from collections.abc import Iterable

from rich.tree import Tree

from deepmt.base.errors import UserError
from deepmt.judge.cells import Cell
from deepmt.report.explain import subtree

COUNT = re.compile(r"(\d+) of (?:the papers' |their |the )?(\d+)(?: numbers| BLEU scores)?")


def explain_count(name: str, cells: Iterable[Cell], elsewhere: Iterable[Cell]) -> Tree:
    """Return what a count of README is made of, for e.g. "231 of 545" or "190 of 191".

    `elsewhere` are the cells at the scale where printed scores were run.

    Raises:
        UserError: README has no such count of cells; names those that it has.
    """
    printed = [one for one in cells if one.published is not None and one.status != "quoted"]
    ours = [one for one in printed if one.ours is not None]
    scores = [one for one in printed if one.unit.startswith("BLEU")]
    run = {_name(one): one.scale for one in elsewhere if one.ours is not None}
    missing = [one for one in scores if _name(one) not in run]
    done = [one for one in map(_name, scores) if one in run]
    counts = {
        (len(ours), len(printed)): subtree(
            f"{len(ours)} of the {len(printed)} numbers that papers print have ours beside them",
            _counted(f"{one.paper}: {one.origin} ({one.unit})" for one in ours),
        ),
        (len(missing), len(scores)): subtree(
            f"{len(missing)} of the {len(scores)} BLEU scores that papers print were not run",
            [
                *_counted(f"{one.paper}: {one.note}" for one in missing),
                *(f"run: `./deepmt explain {one} --scale {run[one]}`" for one in done),
            ],
        ),
    }
    part, whole = map(int, re.findall(r"\d+", name))
    if found := counts.get((part, whole)):
        return found
    known = " and ".join(f"'{part} of {whole}'" for part, whole in counts)
    raise UserError(
        f"'{name}' is no count that `explain` knows, which does not make it wrong: of the numbers"
        f" that papers print it knows README's counts, {known}"
    )


def _name(one: Cell) -> str:
    """Return the argument of `./deepmt explain` for a cell."""
    return f"{one.row}.{one.column}"


def _counted(what: Iterable[str]) -> list[str]:
    return [f"{number} of {one}" for one, number in sorted(Counter(what).items())]
