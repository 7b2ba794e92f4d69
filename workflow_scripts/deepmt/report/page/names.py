"""Say how systems stand, and what their names mean, in the words of their options."""

from collections.abc import Iterator, Sequence

from deepmt.judge.contrast import UNDECIDED
from deepmt.judge.ranking import RankedSystem, Ranking
from deepmt.settings.method import CHOICES
from deepmt.settings.methods import Options
from deepmt.study.questions import FEWEST_PAIRS


def options(one: RankedSystem) -> Sequence[type[Options]]:
    """Return the norm of a system and all that is not the Transformer's."""
    method = one.system.method
    chosen = {"norm": method.norm} | method.changes
    return [type(options) for choice, options in chosen.items() if choice in CHOICES]


def meaning(one: RankedSystem) -> str:
    """Return what a system's method does."""
    return " ".join(each.__doc__ or "" for each in options(one))


def standings(ranking: Ranking) -> Iterator[tuple[str, Sequence[RankedSystem]]]:
    """Yield the systems of a ranking in groups, and what a group has in common, or ""."""
    trained = ranking.systems
    able = [one for one in trained if one.system.may_be_first or not ranking.compared]
    groups = {
        "": able,
        f"Fewer than {FEWEST_PAIRS} seeds, so no verdict": trained[len(able) :],
        "Fail to train": [one for one in ranking.unranked if one.ended == "fails"],
        "Undecided if they train": [one for one in ranking.unranked if one.ended == UNDECIDED],
    }
    yield from ((why, systems) for why, systems in groups.items() if systems)


def meanings(ranking: Ranking) -> Iterator[tuple[RankedSystem, str]]:
    """Yield a system for every label of a ranking, in their order, and its meaning."""
    labels = {one.system.row.label: one for one in (*ranking.unranked, *ranking.systems)}
    yield from ((one, meaning(one)) for _, one in sorted(labels.items()))
