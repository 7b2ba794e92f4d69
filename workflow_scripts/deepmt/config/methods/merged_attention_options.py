"""Define merged attention and average attention (Zhang 2019, section 6)."""

from typing import Literal

from deepmt.config.methods import Options, option_of


@option_of("decoder_layer", module="deepmt.model.merged_attention")
class MergedLayer(Options):
    """Merge self-attention and cross-attention into one sublayer (Eq. 17)."""

    name: Literal["merged"] = "merged"


@option_of("decoder_self_attention", module="deepmt.model.average_attention")
class AverageSelfAttention(Options):
    """Use average attention (AAN) without its feed-forward layer."""

    name: Literal["aan"] = "aan"


@option_of("decoder_self_attention", module="deepmt.model.average_attention")
class SimplifiedAverageSelfAttention(Options):
    """Use average attention without gates, with the values of cross-attention (Eq. 16)."""

    name: Literal["saan"] = "saan"
