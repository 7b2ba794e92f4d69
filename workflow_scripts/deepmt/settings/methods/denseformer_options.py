"""Define DenseFormer (Pagliardini 2024), a weighted average of layers after each of them."""

from typing import ClassVar, Literal

from deepmt.settings.methods import Options, option_of


@option_of("layer_aggregation", module="deepmt.model.denseformer")
class DenseFormer(Options):
    """Feed each layer a learned combination of all earlier outputs, at first the latest alone."""

    needs: ClassVar = {"encoder_output": ("top",)}
    name: Literal["denseformer"] = "denseformer"
