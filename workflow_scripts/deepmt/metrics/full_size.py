"""Resolve systems at their printed size, to count and measure them without a corpus."""

from deepmt.config.papers import SHORTHANDS, Paper, settings_of
from deepmt.config.settings import Scale, apply_lr_times
from deepmt.config.spec import Spec, SpecError, make_spec


def full_size(paper: Paper, system: str, scale: Scale) -> Spec:
    """Return the spec of a system with the widths of `scale`, independent of its corpus.

    Raises:
        ValueError: if the settings are not a valid spec; the message names system and key.
    """
    settings = settings_of(paper, system) | {"data.source": "source", "data.target": "target"}
    for key, stacks in SHORTHANDS.items():
        if key in settings:
            sizes = vars(scale.widths[settings.pop(key)])
            settings |= {f"{s}.{size}": value for s in stacks for size, value in sizes.items()}
    apply_lr_times(settings)
    try:
        return make_spec(settings)
    except SpecError as error:
        raise ValueError(f"{paper.path}: systems.{system}: {error}") from None
