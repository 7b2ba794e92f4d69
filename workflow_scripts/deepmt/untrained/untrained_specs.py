"""Resolve systems without a corpus, at their printed size or any other, to measure untrained."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from deepmt.base.errors import UserError
from deepmt.settings.corpora import load_corpora
from deepmt.settings.spec import Spec, SpecError, make_spec
from deepmt.settings.strict_yaml import names_in
from deepmt.study.papers import LR_TIMES, Paper, in_order, load, settings_of
from deepmt.study.precedence import (
    SHORTHANDS,
    always,
    fold,
    printed_layers,
    sizes_of,
    without_places,
)
from deepmt.study.scale import Scale, load_scale

LANGUAGES = without_places({"data.source": "source", "data.target": "target"})


def at_full_size(root: Path, keys: Iterable[str] = ()) -> tuple[tuple[Paper, ...], Scale]:
    """Read papers, all of them without keys, and the scale that has the papers' widths."""
    scale = load_scale(root / "scales/paper.yaml", load_corpora(root / "corpora.yaml"))
    keys = keys or names_in(root / "papers")
    return in_order(load(root / f"papers/{key}.yaml") for key in keys), scale


def full_size(paper: Paper, system: str, scale: Scale) -> Spec:
    """Return the spec of a system with the widths of `scale`, independent of its corpus.

    Raises:
        ValueError: if the settings are not a valid spec; the message names system and key.
    """
    printed = printed_layers(paper, system)
    sizes = sizes_of(settings_of(paper, system), scale)
    settings, _ = fold([*printed, always("sizes", sizes), SHORTHANDS, always("text", LANGUAGES)])
    try:
        return make_spec(settings)
    except SpecError as error:
        raise UserError(f"{paper.path}: systems.{system}: {error}") from None


def methods(paper: Paper) -> dict[str, dict[str, Any]]:
    """Return the settings that make each method with a system of its own, by its name."""
    found = {}
    for name in paper.systems:
        settings = settings_of(paper, name)
        trained_alike = LR_TIMES not in settings and "training.optimizer" not in settings
        if name.startswith(paper.method_prefix) and trained_alike:
            found[name.removeprefix(paper.method_prefix)] = {
                key: value
                for key, value in settings.items()
                if key.startswith(("method.", "model.")) or key == "training.schedule"
            }
    return found


def small(method: Mapping[str, Any], sizes: Mapping[str, Any]) -> Spec:
    """Return the spec of a method with these sizes, without dropout.

    Raises:
        ValueError: the settings are not a valid spec; names each of them.
    """
    still = {f"training.{kind}": 0.0 for kind in ("dropout", "embedding_dropout")}
    return make_spec({"data.corpus": "none"} | LANGUAGES | still | dict(sizes) | dict(method))
