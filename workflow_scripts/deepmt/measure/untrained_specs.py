"""Resolve systems without a corpus, at their printed size or any other, to measure untrained."""

from collections.abc import Mapping
from typing import Any

from deepmt.config.papers import LR_TIMES, Paper, settings_of
from deepmt.config.resolve import apply_shorthands, apply_widths
from deepmt.config.scale import Scale
from deepmt.errors import UserError
from deepmt.spec.spec import Spec, SpecError, make_spec


def full_size(paper: Paper, system: str, scale: Scale) -> Spec:
    """Return the spec of a system with the widths of `scale`, independent of its corpus.

    Raises:
        ValueError: if the settings are not a valid spec; the message names system and key.
    """
    settings = settings_of(paper, system) | {"data.source": "source", "data.target": "target"}
    apply_widths(settings, scale.widths)
    apply_shorthands(settings)
    try:
        return make_spec(settings)
    except SpecError as error:
        raise UserError(f"{paper.path}: systems.{system}: {error}") from None


DEEP = "deep-"
"""Prefix of the systems that have a method each."""


def methods(paper: Paper) -> dict[str, dict[str, Any]]:
    """Return the settings that make each method of the deep systems, by its name."""
    found = {}
    for name in paper.systems:
        settings = settings_of(paper, name)
        trained_alike = LR_TIMES not in settings and "training.optimizer" not in settings
        if name.startswith(DEEP) and trained_alike:
            found[name.removeprefix(DEEP)] = {
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
    languages = {"data.corpus": "none", "data.source": "source", "data.target": "target"}
    return make_spec(languages | still | dict(sizes) | dict(method))
