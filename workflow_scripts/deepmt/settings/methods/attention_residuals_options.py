"""Define Attention Residuals (Kimi team 2026), with a layer as their block."""

from typing import ClassVar, Literal

from deepmt.settings.methods import Options, option_of


@option_of("layer_aggregation", module="deepmt.model.attention_residuals")
class AttentionResiduals(Options):
    """Feed each layer a mix, by attention over depth, of what the layers below have added."""

    needs: ClassVar = {
        "norm": ("pre",), "encoder_residual": (True,), "encoder_output": ("top",)
    }  # fmt: skip
    """It sums what pre-norm layers add."""
    name: Literal["attention_residuals"] = "attention_residuals"
