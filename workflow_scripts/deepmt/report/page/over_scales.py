"""Set the systems of several scales side by side: one text, few passes and many."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from deepmt.judge.ranking import RankedSystem, Ranking

FEWEST = 3
"""Systems that a scale shares with the others, to have a column."""


@dataclass(frozen=True, kw_only=True)
class OverScales:
    """Hold a column for each scale, by passes, and a line for each system of two of them."""

    columns: Sequence[tuple[float, Ranking]]
    lines: Sequence[tuple[str, Sequence[RankedSystem | None]]]


def over_scales(rankings: Sequence[Ranking]) -> OverScales | None:
    """Compare the ranked scales with the text of the first of them; None if there is but one."""
    ranked = [one for one in rankings if one.compared]
    same = [one for one in ranked if _dataset(one) == _dataset(ranked[0])]
    often = Counter(one.system.name for each in same for one in each.systems)
    shared = {name for name, count in often.items() if count > 1}
    found = {id(each): {one.system.name: one for one in each.systems} for each in same}
    kept = [each for each in same if len(shared & found[id(each)].keys()) >= FEWEST]
    if len(kept) < 2:
        return None
    columns = sorted(((_passes(each), each) for each in kept), key=lambda column: column[0])
    last = [one.system.name for _, each in reversed(columns) for one in each.systems]
    lines = []
    for name in dict.fromkeys(last):
        cells = [found[id(each)].get(name) for _, each in columns]
        if sum(cell is not None for cell in cells) > 1:
            lines.append((name, cells))
    return OverScales(columns=columns, lines=lines)


def _dataset(ranking: Ranking) -> str:
    return ranking.systems[0].system.dataset


def _passes(ranking: Ranking) -> float:
    """Return how often a system has read the text; older records count whole passes alone."""
    return max(record.epochs for one in ranking.systems for record in one.system.seeds.values())
