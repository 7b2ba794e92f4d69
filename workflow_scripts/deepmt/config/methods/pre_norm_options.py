"""Define pre-norm (Wang 2019), and layer normalisation as lingvo places it (Bapna 2018)."""

from typing import ClassVar, Literal

from pydantic.dataclasses import dataclass

from deepmt.config.methods import Options
from deepmt.config.strict import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class PreNorm(Options):
    """Apply layer normalisation to the input of each sublayer and the output of each stack."""

    choice: ClassVar = "norm"
    module: ClassVar = "deepmt.model.norm"
    name: Literal["pre"] = "pre"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class LingvoNorm(Options):
    """Normalise as pre-norm does, but start the residual of attention after the norm."""

    choice: ClassVar = "norm"
    module: ClassVar = "deepmt.model.norm"
    name: Literal["lingvo"] = "lingvo"
