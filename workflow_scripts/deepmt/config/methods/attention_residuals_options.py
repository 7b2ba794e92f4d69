"""Define Attention Residuals (Kimi team 2026), with a layer as their block."""

from typing import TYPE_CHECKING, Literal

from deepmt.config.methods import Options, option_of

if TYPE_CHECKING:
    from deepmt.config.spec import Spec


@option_of("layer_aggregation", module="deepmt.model.attention_residuals")
class AttentionResiduals(Options):
    """Feed each layer a mix, by attention over depth, of what the layers below have added."""

    name: Literal["attention_residuals"] = "attention_residuals"

    def excludes(self, spec: "Spec") -> dict[str, bool]:
        """Return the rules of a sum of contributions."""
        names = spec.method.names
        return {
            "method.layer_aggregation=attention_residuals sums what pre-norm layers add: set "
            "method.norm=pre and encoder_residual=true": (
                names["norm"] != "pre" or not spec.method.encoder_residual
            ),
            "method.encoder_output=transparent mixes what attention_residuals already combines: "
            "choose one": names["encoder_output"] == "transparent",
        }
