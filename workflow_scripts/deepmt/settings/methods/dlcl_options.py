"""Define the dynamic linear combination of layers (Wang 2019, section 3)."""

from typing import ClassVar, Literal

from deepmt.settings.methods import Options, option_of


@option_of("layer_aggregation", module="deepmt.model.dlcl")
class Dlcl(Options):
    """Feed each layer a learned combination of all earlier outputs (Eqs. 7-9)."""

    needs: ClassVar = {"norm": ("pre", "post"), "encoder_output": ("top",)}
    name: Literal["dlcl"] = "dlcl"
    weights: Literal["learned", "one", "average"] = "learned"
    norm: bool = True
    """Apply the combination's layer norms: before it with pre-norm, after it with post-norm."""
