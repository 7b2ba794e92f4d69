"""The initialisation that a spec names."""

from collections.abc import Callable

from torch import Tensor, nn

from deepmt.config.spec import Spec
from deepmt.init.admin import admin_
from deepmt.init.ds_init import ds_init_
from deepmt.init.glorot import glorot_
from deepmt.init.uniform import rnmt_uniform_

Batch = tuple[Tensor, Tensor]


def initialise_(model: nn.Module, spec: Spec, batch: Callable[[], Batch]) -> dict[str, list[float]]:
    """Draw the weights of `model`; return ADMIN's profile (empty for the others).

    `batch` yields the first training batch and is called only where a method measures one.
    """
    if spec.method.family == "rnmt+":
        rnmt_uniform_(model)
        return {}
    fused_cross = spec.init.cross_fan == "fused"
    if spec.init.name == "ds_init":
        ds_init_(
            model,
            fused_cross=fused_cross,
            alpha=spec.init.alpha,
            decay=spec.init.decay,
            stacks=spec.init.stacks,
        )
        return {}
    glorot_(model, fused_cross=fused_cross)
    return admin_(model, *batch(), spec.init.profile) if spec.init.name == "admin" else {}
