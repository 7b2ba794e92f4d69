"""Define RNMT+ and transparent attention (Bapna 2018)."""

from typing import ClassVar, Literal

from deepmt.config.methods import Options, option_of


@option_of("family", module="deepmt.model.build_rnmt_plus")
class RnmtPlusFamily(Options):
    """Build a recurrent encoder and decoder with their own initialisation."""

    initialisation: ClassVar = "deepmt.init.uniform"
    name: Literal["rnmt+"] = "rnmt+"


@option_of("encoder_output", module="deepmt.model.transparent")
class TransparentAttention(Options):
    """Let the decoder attend to a learned mix of all encoder layers (Eqs. 1-2)."""

    name: Literal["transparent"] = "transparent"
