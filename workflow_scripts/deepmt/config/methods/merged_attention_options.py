"""Define merged attention and average attention (Zhang 2019, section 6)."""

from typing import ClassVar, Literal

from pydantic.dataclasses import dataclass

from deepmt.config.methods import Options
from deepmt.config.strict import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class MergedLayer(Options):
    """Merge self-attention and cross-attention into one sublayer (Eq. 17)."""

    choice: ClassVar = "decoder_layer"
    module: ClassVar = "deepmt.model.merged_attention"
    name: Literal["merged"] = "merged"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class AverageSelfAttention(Options):
    """Use average attention (AAN) without its feed-forward layer."""

    choice: ClassVar = "decoder_self_attention"
    module: ClassVar = "deepmt.model.average_attention"
    name: Literal["aan"] = "aan"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class SimplifiedAverageSelfAttention(Options):
    """Use average attention without gates, with the values of cross-attention (Eq. 16)."""

    choice: ClassVar = "decoder_self_attention"
    module: ClassVar = "deepmt.model.average_attention"
    name: Literal["saan"] = "saan"
