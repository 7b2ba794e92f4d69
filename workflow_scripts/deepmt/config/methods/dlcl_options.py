"""Define the dynamic linear combination of layers (Wang 2019, section 3)."""

from typing import ClassVar, Literal

from pydantic.dataclasses import dataclass

from deepmt.config.methods import Options
from deepmt.config.strict import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Dlcl(Options):
    """Feed each layer a learned combination of all earlier outputs (Eqs. 7-9)."""

    choice: ClassVar = "layer_aggregation"
    module: ClassVar = "deepmt.model.dlcl"
    name: Literal["dlcl"] = "dlcl"
    weights: Literal["learned", "one", "average"] = "learned"
    norm: bool = True
    """Apply the combination's layer norms: before it with pre-norm, after it with post-norm."""
