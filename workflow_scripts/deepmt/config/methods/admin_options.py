"""Define ADMIN (Liu 2020, section 3): weighted residuals, and how they are initialised."""

from typing import ClassVar, Literal

from pydantic.dataclasses import dataclass

from deepmt.config.methods import Options
from deepmt.config.strict import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class OmegaResidual(Options):
    """Weight the residual: omega * x, with one trained weight a channel."""

    choice: ClassVar = "residual"
    module: ClassVar = "deepmt.model.omega"
    name: Literal["omega"] = "omega"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Admin(Options):
    """Initialise omegas from a profile of the first batch."""

    choice: ClassVar = "initialisation"
    module: ClassVar = "deepmt.init.admin"
    name: Literal["admin"] = "admin"
    profile: Literal["sequential", "paper"] = "sequential"
    """Measured with earlier omegas applied (the released code), or by the printed formula."""
