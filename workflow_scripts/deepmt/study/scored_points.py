"""Decide what a seed of a run translates: which weights, and which splits with them."""

from collections.abc import Mapping, Sequence

from deepmt.settings.point_names import point_name
from deepmt.settings.spec import Spec
from deepmt.study.plan import Plan


def points_of(
    plan: Plan, spec: Spec, requested: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """Return the folders of a seed's translations below its own, each with its splits.

    "" is its end; checkpoint<k> are its last ones, where scores are averaged; update<n> are its
    milestones before the end. At those that the scale's `test_at` does not name, training has
    measured dev's perplexity where it chose the weights; with `average: weights`, dev is
    translated for it. `requested` holds the further splits of a run that tables need.
    """
    available = plan.corpora.corpus(spec.data.corpus).translated
    named = [name for name in plan.scale.decode if name in available]
    splits = list(dict.fromkeys([*named, *requested.get(spec.run, ())]))
    if not splits:
        return {}
    recipe = spec.training
    before = recipe.average_last if recipe.average == "scores" else 1
    unmeasured = [] if recipe.asks_dev else ["dev"]
    return (
        {"": splits}
        | {point_name("checkpoint", k): splits for k in range(2, before + 1)}
        | {
            point_name("milestone", update): splits if update in plan.scale.test_at else unmeasured
            for update in recipe.milestones
            if update < recipe.updates
        }
    )
