"""Define ADMIN (Liu 2020, section 3): weighted residuals, and how they are initialised."""

from typing import TYPE_CHECKING, ClassVar, Literal

from deepmt.config.methods import Options, option_of

if TYPE_CHECKING:
    from deepmt.config.spec import Spec


@option_of("residual", module="deepmt.model.omega")
class OmegaResidual(Options):
    """Weight the residual: omega * x, with one trained weight a channel."""

    named: ClassVar = False  # Admin, which it needs, is
    exported: ClassVar = True
    name: Literal["omega"] = "omega"

    def excludes(self, spec: "Spec") -> dict[str, bool]:
        """Return the rules of weighted residuals."""
        names = spec.method.names
        return {
            "method.residual=omega weights the residual of a post-norm sublayer (Liu 2020): "
            "set method.norm=post": names["norm"] != "post",
            "method.residual=omega starts from ADMIN's values: set method.initialisation=admin or "
            "admin_closed": not names["initialisation"].startswith("admin"),
        }


@option_of("initialisation", module="deepmt.init.admin")
class Admin(Options):
    """Initialise omegas from a profile of the first batch."""

    name: Literal["admin"] = "admin"
    profile: Literal["sequential", "paper"] = "sequential"
    """Measured with earlier omegas applied (the released code), or by the printed formula."""

    def excludes(self, spec: "Spec") -> dict[str, bool]:
        """Return the rule that there are omegas to fill."""
        return fills_omegas(self.name, spec)


@option_of("initialisation", module="deepmt.init.admin_closed")
class AdminClosed(Options):
    """Set omegas by a formula of depth alone (admin-torch): no profile and no data."""

    name: Literal["admin_closed"] = "admin_closed"
    growth: Literal["log", "linear", "none"] = "log"
    """How the variance of the output grows with depth: as O(log n), O(n) or O(1)."""

    def excludes(self, spec: "Spec") -> dict[str, bool]:
        """Return the rule that there are omegas to fill."""
        return fills_omegas(self.name, spec)


def fills_omegas(name: str, spec: "Spec") -> dict[str, bool]:
    """Return the rule that both ways to initialise omegas share."""
    rule = f"method.initialisation={name} fills omegas: set method.residual=omega"
    return {rule: spec.method.names["residual"] != "omega"}
