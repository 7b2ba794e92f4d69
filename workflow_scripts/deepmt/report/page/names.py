"""Say what the names of systems mean, in the words of their options."""

from collections.abc import Iterator

from deepmt.judge.ranking import RankedSystem, Ranking
from deepmt.spec.method import CHOICES


def meaning(one: RankedSystem) -> str:
    """Return what a system's method does, or "" if none of its seeds trains."""
    method = next((record.spec["method"] for record in one.system.seeds.values()), None)
    if method is None:
        return ""
    chosen = {"norm": {"name": "post"}} | {
        key: one for key, one in method.items() if key in CHOICES
    }
    said = [CHOICES[choice].get(options["name"]) for choice, options in chosen.items()]
    return " ".join(options.__doc__ or "" for options in said if options is not None)


def meanings(ranking: Ranking) -> Iterator[tuple[str, str, str]]:
    """Yield the system, label and meaning of every label of a ranking."""
    labels = {one.system.row.label: one for one in ranking.systems}
    for label, one in sorted(labels.items()):
        if said := meaning(one):
            yield one.system.system, label, said
