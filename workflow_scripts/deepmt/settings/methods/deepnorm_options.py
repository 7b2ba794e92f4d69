"""Define DeepNorm (Wang 2022): post-norm with a heavier residual, and smaller weights."""

from typing import ClassVar, Literal

from deepmt.settings.methods import Options, option_of


@option_of("residual", module="deepmt.model.deepnorm")
class DeepNormResidual(Options):
    """Weight the residual by a constant of depth: alpha x + F(x)."""

    needs: ClassVar = {"norm": ("post",)}
    name: Literal["deepnorm"] = "deepnorm"


@option_of("initialisation", module="deepmt.init.deepnorm_init")
class DeepNormInitialisation(Options):
    """Draw feed-forward layers, values and outputs of attention smaller the deeper the model."""

    named: ClassVar = False  # its residual connection is
    name: Literal["deepnorm"] = "deepnorm"
    constants: Literal["paper", "code"] = "paper"
    """Those of the paper, or of torchscale, which differ in the encoder and in the base."""
