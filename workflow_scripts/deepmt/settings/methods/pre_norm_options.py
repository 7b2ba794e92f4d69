"""Define pre-norm (Wang 2019), and layer normalisation as lingvo places it (Bapna 2018)."""

from typing import ClassVar, Literal

from deepmt.settings.methods import Options, option_of


@option_of("norm", module="deepmt.model.norm")
class PreNorm(Options):
    """Apply layer normalisation to the input of each sublayer and the output of each stack."""

    exported: ClassVar = True
    name: Literal["pre"] = "pre"


@option_of("norm", module="deepmt.model.norm")
class LingvoNorm(Options):
    """Normalise as pre-norm does, but start the residual of attention after the norm."""

    name: Literal["lingvo"] = "lingvo"
