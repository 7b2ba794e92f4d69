"""Define RNMT+ and transparent attention (Bapna 2018)."""

from typing import ClassVar, Literal

from pydantic.dataclasses import dataclass

from deepmt.config.methods import Options
from deepmt.config.strict import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class RnmtPlusFamily(Options):
    """Build a recurrent encoder and decoder with their own initialisation."""

    choice: ClassVar = "family"
    module: ClassVar = "deepmt.model.build_rnmt_plus"
    initialisation: ClassVar = "deepmt.init.uniform"
    name: Literal["rnmt+"] = "rnmt+"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TransparentAttention(Options):
    """Let the decoder attend to a learned mix of all encoder layers (Eqs. 1-2)."""

    choice: ClassVar = "encoder_output"
    module: ClassVar = "deepmt.model.transparent"
    name: Literal["transparent"] = "transparent"
