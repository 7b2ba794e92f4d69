"""Layer normalisation before each sublayer (Wang 2019), and as lingvo places it (Bapna 2018)."""

from typing import ClassVar, Literal

from pydantic.dataclasses import dataclass

from deepmt.config.methods import Options
from deepmt.config.strict import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class PreNorm(Options):
    """Normalise what each sublayer reads, and the end of each stack."""

    choice: ClassVar = "norm"
    module: ClassVar = "deepmt.model.norm"
    name: Literal["pre"] = "pre"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class LingvoNorm(Options):
    """As pre-norm, but the residual of attention starts after the norm."""

    choice: ClassVar = "norm"
    module: ClassVar = "deepmt.model.norm"
    name: Literal["lingvo"] = "lingvo"
