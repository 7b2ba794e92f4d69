"""Define DenseFormer (Pagliardini 2024), a weighted average of layers after each of them."""

from typing import TYPE_CHECKING, Literal

from deepmt.config.methods import Options, option_of

if TYPE_CHECKING:
    from deepmt.config.spec import Spec


@option_of("layer_aggregation", module="deepmt.model.denseformer")
class DenseFormer(Options):
    """Feed each layer a learned combination of all earlier outputs, at first the latest alone."""

    name: Literal["denseformer"] = "denseformer"

    def excludes(self, spec: "Spec") -> dict[str, bool]:
        """Return the rule that layers are combined once."""
        rule = (
            "method.encoder_output=transparent mixes what method.layer_aggregation=denseformer "
            "already combines: choose one"
        )
        return {rule: spec.method.names["encoder_output"] == "transparent"}
