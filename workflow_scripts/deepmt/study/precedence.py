"""Stack the settings of a system: named layers, folded in a loop from the weakest up."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from deepmt.base.errors import UserError
from deepmt.settings.corpora import Corpora
from deepmt.settings.strict import unknown
from deepmt.settings.strict_yaml import Section
from deepmt.study.papers import (
    DEPTHS,
    DROPOUT,
    LR_TIMES,
    UPDATES_TIMES,
    WIDTHS,
    Paper,
    above,
    settings_of,
    systems_behind,
)
from deepmt.study.scale import Recipe, Scale


@dataclass(frozen=True)
class Layer:
    """Name a source of settings, and what it sets above those of all layers below."""

    name: str
    change: Callable[[Section], Section]


def fold(layers: Iterable[Layer]) -> tuple[Section, list[tuple[str, Section]]]:
    """Return the settings that layers end in, and what each of them sets, by its name."""
    settings = NOTHING
    changes = []
    for layer in layers:
        change = layer.change(settings)
        if change:
            settings = above(settings, change)
            changes.append((layer.name, change))
    for key in (*WIDTHS, DROPOUT, LR_TIMES, UPDATES_TIMES):
        settings.pop(key, None)
    return settings, changes


def layers_of(paper: Paper, system: str, scale: Scale, corpora: Corpora) -> list[Layer]:
    """Return what sets the settings of a system at a scale, the strongest last.

    Raises:
        ValueError: the scale lacks a width or depth that the system names; names file and line.
    """
    printed = settings_of(paper, system)
    return [
        *printed_layers(paper, system),
        *scale_layers(paper, system, printed, scale, corpora),
    ]


def scale_layers(
    paper: Paper, system: str, printed: Section, scale: Scale, corpora: Corpora
) -> list[Layer]:
    """Return what a scale sets above the printed settings of a system, the strongest last.

    Raises:
        ValueError: the scale lacks a width or depth that the system names; names file and line.
    """
    sizes = sizes_of(printed, scale)
    fixed = above(printed, sizes)
    # A multiple of a system's rate is one of the rate that was chosen for it; multiples multiply.
    multiples = [one for one in systems_behind(paper, system) if LR_TIMES in paper.changes_of(one)]
    tuned = paper.systems[multiples[-1]].get("from") if multiples else system
    times = math.prod(paper.changes_of(one)[LR_TIMES] for one in multiples)
    corpus = scale.corpora_of(paper.key)[printed["data.corpus"]]
    languages = corpora.corpus(corpus)
    data = {"corpus": corpus, "source": languages.source, "target": languages.target}
    return [
        always(f"sizes of {scale.name}", sizes),
        always(f"scale {scale.name}", scale.document["change"]),
        *(
            recipe_layer(f"recipe {n + 1}", recipe, scale.document["recipes"][n]["change"])
            for n, recipe in enumerate(scale.recipes)
        ),
        always("fixed by the paper", fixed.without(fixed.keys() - set(paper.fixed))),
        always("rates.csv", scale.chosen.get(f"{paper.key}/{tuned}", NOTHING)),
        always("multiples", without_places({LR_TIMES: times}) if multiples else NOTHING),
        SHORTHANDS,
        always("corpus", without_places({f"data.{key}": value for key, value in data.items()})),
    ]


def printed_layers(paper: Paper, system: str) -> list[Layer]:
    """Return a layer for each system that a system is a difference from, and for itself."""
    return [always(one, paper.changes_of(one)) for one in reversed(systems_behind(paper, system))]


def always(name: str, change: Section) -> Layer:
    """Return a layer that sets the same whatever lies below."""
    return Layer(name, lambda _: change)


def recipe_layer(name: str, recipe: Recipe, change: Section) -> Layer:
    """Return a layer that sets something for the systems of a recipe alone."""
    return Layer(name, lambda settings: change if recipe.applies_to(settings) else NOTHING)


def sizes_of(printed: Section, scale: Scale) -> Section:
    """Return the sizes that a scale gives to the widths and depths that a system names.

    Raises:
        ValueError: it gives none to some of them; names file and line.
    """
    found: dict[str, int] = {}
    places, wrong = scale.document.places, []
    for key, stacks in WIDTHS.items():
        if (width := printed.get(key)) in scale.widths:
            sizes = vars(scale.widths[width])
            found |= {f"{s}.{size}": value for s in stacks for size, value in sizes.items()}
        elif width is not None:
            wrong.append(f"{places['widths']}: {key}: {unknown('width', width, scale.widths)}")
    for key in DEPTHS:
        if (depth := printed.get(key)) in scale.depths:
            found[key] = scale.depths[depth]
        elif isinstance(depth, str):
            wrong.append(f"{places['depths']}: depths: {unknown('depth', depth, scale.depths)}")
    if wrong:
        raise UserError("\n".join(wrong))
    return without_places(found)


def _shorthands(settings: Section) -> Section:
    """Return multiples of training.lr and training.updates, and both kinds of `dropout`."""
    found: dict[str, Any] = {}
    if DROPOUT in settings:
        kinds = ("training.dropout", "training.embedding_dropout")
        found = dict.fromkeys(kinds, settings[DROPOUT])
    if LR_TIMES in settings and "training.lr" in settings:
        # Round: 3 * 1.5e-3 is 4.5e-3 in every record, not 0.0045000000000000005.
        found["training.lr"] = float(f"{settings['training.lr'] * settings[LR_TIMES]:.12g}")
    if UPDATES_TIMES in settings and "training.updates" in settings:
        updates = settings["training.updates"]
        ends = [updates * n for n in range(1, settings[UPDATES_TIMES] + 1)]
        earlier = settings.get("training.milestones", ())
        found["training.milestones"] = [*earlier, *ends[:-1]]
        found["training.updates"] = ends[-1]
    return without_places(found)


def without_places(values: Mapping[str, Any]) -> Section:
    """Return settings that no line of a file gives: errors name the lines of the layers below."""
    return Section(values, "", {})


NOTHING = without_places({})
SHORTHANDS = Layer("lr_times, updates_times and dropout", _shorthands)
"""Stands above all rates, so that a multiple or a dropout holds at any scale."""
