"""Initialise as the code of B2T does when its connection is on (takase/b2t_connection)."""

from collections.abc import Callable
from typing import Any

from torch import nn

from deepmt.init import glorot
from deepmt.init.glorot import Batch
from deepmt.init.matrices import scale_
from deepmt.settings.spec import Spec


def initialisation(model: nn.Module, spec: Spec, batch: Callable[[], Batch]) -> dict[str, Any]:
    """Draw weights by `glorot`, then multiply layers' matrices by N^-1/2, N the stack's depth."""
    glorot.initialisation(model, spec, batch)
    scale_(model, lambda matrix: getattr(spec, matrix.stack).layers ** -0.5)
    return {}
