"""Say what the names of systems mean, in the words of their options."""

from collections.abc import Iterator, Sequence

from deepmt.judge.ranking import RankedSystem, Ranking
from deepmt.settings.method import CHOICES
from deepmt.settings.methods import Options


def options(one: RankedSystem) -> Sequence[type[Options]]:
    """Return the norm of a system and all that is not the Transformer's."""
    method = one.system.method
    chosen = {"norm": method.norm} | method.changes
    return [type(options) for choice, options in chosen.items() if choice in CHOICES]


def meaning(one: RankedSystem) -> str:
    """Return what a system's method does."""
    return " ".join(each.__doc__ or "" for each in options(one))


def meanings(ranking: Ranking) -> Iterator[tuple[RankedSystem, str]]:
    """Yield a system for every label of a ranking, in their order, and its meaning."""
    labels = {one.system.row.label: one for one in (*ranking.failed, *ranking.systems)}
    yield from ((one, meaning(one)) for _, one in sorted(labels.items()))
