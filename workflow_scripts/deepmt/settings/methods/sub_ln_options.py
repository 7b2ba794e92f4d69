"""Define Sub-LN (Wang 2022, Magneto): pre-norm with norms inside sublayers, and larger weights."""

from typing import ClassVar, Literal

from deepmt.settings.methods import Options, option_of


@option_of("norm", module="deepmt.model.sub_ln")
class SubNorm(Options):
    """Normalise once more before the last matrix of self-attention and feed-forward layers."""

    keeps_inside: ClassVar = 1.0
    needs: ClassVar = {"decoder_self_attention": ("softmax",), "decoder_layer": ("stacked",)}
    name: Literal["sub_ln"] = "sub_ln"


@option_of("initialisation", module="deepmt.init.sub_ln_init")
class SubNormInitialisation(Options):
    """Draw feed-forward layers, values and outputs larger with depth, but for cross-attention."""

    named: ClassVar = False  # its norm is
    name: Literal["sub_ln"] = "sub_ln"
