"""Define depth-scaled initialisation (Zhang 2019, section 5)."""

from typing import Annotated, Literal

from pydantic import Field

from deepmt.settings.methods import Options, option_of


@option_of("initialisation", module="deepmt.init.ds_init")
class DsInit(Options):
    """Scale Glorot's bound of layer l by l^-1/2 (Eq. 15), or by l^-1/4 as in the released code."""

    name: Literal["ds_init"] = "ds_init"
    exponent: Annotated[float, Field(ge=0, le=1)] = 0.25
    """0.25 in the released code, 0.5 in Eq. 15."""
    alpha: Annotated[float, Field(gt=0, le=1000)] = 1.0
    stacks: Literal["both", "encoder", "decoder"] = "both"
