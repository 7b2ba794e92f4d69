"""Say what the names of systems mean, in the words of their options."""

from collections.abc import Iterator, Sequence

from deepmt.judge.ranking import RankedSystem, Ranking
from deepmt.spec.method import CHOICES
from deepmt.spec.methods import Options


def options(one: RankedSystem) -> Sequence[type[Options]]:
    """Return the norm of a system and all that is not the Transformer's; nothing without seeds."""
    method = next((record.spec["method"] for record in one.system.seeds.values()), None)
    if method is None:
        return []
    chosen = {"norm": {"name": "post"}} | {
        key: one for key, one in method.items() if key in CHOICES
    }
    found = [CHOICES[choice].get(options["name"]) for choice, options in chosen.items()]
    return [each for each in found if each is not None]


def meaning(one: RankedSystem) -> str:
    """Return what a system's method does, or "" if none of its seeds trains."""
    return " ".join(each.__doc__ or "" for each in options(one))


def meanings(ranking: Ranking) -> Iterator[tuple[RankedSystem, str]]:
    """Yield a system for every label of a ranking, in their order, and its meaning."""
    labels = {one.system.row.label: one for one in ranking.systems}
    for _, one in sorted(labels.items()):
        if said := meaning(one):
            yield one, said
