"""Settings are layers: which of them decides, whether it applies, and what is dropped."""

from dataclasses import replace

import made_up

from deepmt.settings.strict_yaml import Section
from deepmt.study.papers import Paper, above, load
from deepmt.study.precedence import fold, layers_of
from deepmt.study.scale import Scale

PLAN = made_up.plan_of("unified", scale="multi30k-fair")


def paper() -> Paper:
    return load(made_up.ROOT / "papers/unified.yaml")


def history(system: str, key: str, scale: Scale = PLAN.scale) -> list[tuple[str, object]]:
    """Each layer that sets a key, with its value."""
    settings, changes = fold(layers_of(paper(), system, scale, PLAN.corpora))
    found = [(name, change[key]) for name, change in changes if key in change]
    assert settings[key] == found[-1][1]
    return found


def values(**settings: object) -> Section:
    return Section({key.replace("__", "."): one for key, one in settings.items()}, "", {})


def test_a_setting_that_the_paper_fixes_stands_above_the_scale() -> None:
    layers = history("deep-tfixup", "training.schedule")
    assert layers[1] == ("deep-tfixup", "no_warmup")
    assert layers[-2][0] == "scale multi30k-fair"
    assert layers[-1] == ("fixed by the paper", "no_warmup")


def test_a_multiple_is_one_of_the_rate_that_was_chosen_for_the_base() -> None:
    *_, (chosen, rate), (last, product) = history("deep-pre-x3", "training.lr")
    assert (chosen, last) == ("rates.csv", "lr_times, updates_times and dropout")
    assert history("deep-pre", "training.lr")[-1] == ("rates.csv", rate)
    assert product == float(f"{rate * 3:.12g}")


def test_a_system_inherits_the_multiple_of_a_rate_with_the_base_of_the_rate() -> None:
    known = paper()
    later = replace(
        known,
        systems={**known.systems, "later": Section({"from": "deep-pre-x3"}, "", {"from": "here"})},
    )
    settings, _ = fold(layers_of(later, "later", PLAN.scale, PLAN.corpora))
    assert settings["training.lr"] == history("deep-pre-x3", "training.lr")[-1][1]


def test_a_multiple_of_a_multiple_is_one_of_both() -> None:
    known = paper()
    half = Section({"from": "deep-pre-x3", "lr_times": 0.5}, "", {"from": "here"})
    later = replace(known, systems={**known.systems, "half": half})
    settings, _ = fold(layers_of(later, "half", PLAN.scale, PLAN.corpora))
    assert settings["training.lr"] == 1.5 * history("deep-pre", "training.lr")[-1][1]


def test_a_longer_training_is_scored_where_the_scale_ends() -> None:
    budget = made_up.plan_of("unified", scale="multi30k-budget").specs
    usual, long = (
        budget[f"unified.{row}"].training
        for row in ("t1.shallow-transparent", "t7.shallow-transparent-long")
    )
    assert (usual.updates, long.updates) == (6000, 18000)
    assert long.milestones == (*usual.milestones, 6000, 12000)
    assert replace(long, updates=usual.updates, milestones=usual.milestones) == usual


def test_a_recipe_is_a_layer_of_the_systems_that_it_applies_to_alone() -> None:
    assert "recipe 1" in dict(history("post-6", "training.updates"))
    assert "recipe 1" not in dict(history("shallow-post", "training.updates"))


def test_a_later_recipe_is_above_an_earlier_one() -> None:
    first = PLAN.scale.recipes[0]
    listed = PLAN.scale.document["recipes"]
    change = values(training__updates=7)
    later = type(listed)([*listed, values(change=change)], [*listed.places.values(), ""])
    document = values(recipes=later).over(PLAN.scale.document)
    scale = replace(PLAN.scale, recipes=(first, replace(first, corpus="")), document=document)
    assert history("post-6", "training.updates", scale)[-1] == ("recipe 2", 7)
    assert history("shallow-post", "training.updates", scale)[-1] == ("recipe 2", 7)


def test_a_new_choice_drops_the_options_of_the_old_one() -> None:
    below = values(method__norm="pre", method__norm__option=1, training__lr=1.0)
    assert above(below, values(method__norm="post")) == values(
        method__norm="post", training__lr=1.0
    )
    assert above(below, values(method__norm__option=2))["method.norm.option"] == 2
