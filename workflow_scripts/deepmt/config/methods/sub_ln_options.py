"""Define Sub-LN (Wang 2022, Magneto): pre-norm with norms inside sublayers, and larger weights."""

from typing import TYPE_CHECKING, ClassVar, Literal

from deepmt.config.methods import Options, option_of

if TYPE_CHECKING:
    from deepmt.config.spec import Spec


@option_of("norm", module="deepmt.model.sub_ln")
class SubNorm(Options):
    """Normalise once more before the last matrix of self-attention and feed-forward layers."""

    name: Literal["sub_ln"] = "sub_ln"

    def excludes(self, spec: "Spec") -> dict[str, bool]:
        """Return the rule that there is a matrix to precede."""
        names = spec.method.names
        rule = (
            "method.norm=sub_ln is defined for softmax attention in layers of three sublayers: set "
            "method.decoder_self_attention=softmax and method.decoder_layer=stacked"
        )
        other = names["decoder_self_attention"] != "softmax" or names["decoder_layer"] != "stacked"
        return {rule: other}


@option_of("initialisation", module="deepmt.init.sub_ln_init")
class SubNormInitialisation(Options):
    """Draw feed-forward layers, values and outputs larger with depth, but for cross-attention."""

    named: ClassVar = False  # its norm is
    name: Literal["sub_ln"] = "sub_ln"
