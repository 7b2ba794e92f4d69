"""Define merged attention and average attention (Zhang 2019, section 6)."""

from typing import TYPE_CHECKING, ClassVar, Literal

from deepmt.settings.methods import Options, option_of

if TYPE_CHECKING:
    from deepmt.settings.spec import Spec


@option_of("decoder_layer", module="deepmt.model.merged_attention")
class MergedLayer(Options):
    """Merge self-attention and cross-attention into one sublayer (Eq. 17)."""

    sublayers: ClassVar = 2
    name: Literal["merged"] = "merged"


@option_of("decoder_self_attention", module="deepmt.model.average_attention")
class AverageSelfAttention(Options):
    """Use average attention (AAN) without its feed-forward layer."""

    matrices: ClassVar = 4
    borrowed: ClassVar = 0
    weighs: ClassVar = False
    name: Literal["aan"] = "aan"


@option_of("decoder_self_attention", module="deepmt.model.average_attention")
class SimplifiedAverageSelfAttention(Options):
    """Use average attention without gates, with the values of cross-attention (Eq. 16)."""

    matrices: ClassVar = 1
    borrowed: ClassVar = 1
    weighs: ClassVar = False
    needs: ClassVar = {"decoder_layer": ("merged",)}
    name: Literal["saan"] = "saan"

    def excludes(self, spec: "Spec") -> dict[str, bool]:
        """Return the rules of attention that shares W_v with cross-attention."""
        rule = "method.decoder_self_attention=saan shares W_v with cross-attention: needs equal "
        return super().excludes(spec) | {
            f"{rule}widths": spec.encoder.d_model != spec.decoder.d_model
        }
