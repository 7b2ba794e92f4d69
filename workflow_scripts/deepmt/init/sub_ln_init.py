"""Initialise by Sub-LN (Wang 2022, arXiv 2210.06423)."""

import math
from collections.abc import Callable
from typing import Any

from torch import nn

from deepmt.init import glorot
from deepmt.init.glorot import Batch
from deepmt.init.matrices import RESIDUAL_BRANCH, scale_
from deepmt.settings.spec import Spec


def gamma(stack: str, encoder_layers: int, decoder_layers: int) -> float:
    """Return the factor on weights: sqrt(ln 3M ln 2N / 3) in the encoder, sqrt(ln 3M) above."""
    of_decoder = math.log(3 * decoder_layers)
    of_encoder = math.log(2 * encoder_layers) / 3 if stack == "encoder" else 1.0
    return math.sqrt(of_decoder * of_encoder)


def initialisation(model: nn.Module, spec: Spec, batch: Callable[[], Batch]) -> dict[str, Any]:
    """Draw weights by `glorot`, times gamma but for queries, keys and all of cross-attention."""
    glorot.initialisation(model, spec, batch)
    depths = spec.encoder.layers, spec.decoder.layers
    scale_(
        model,
        lambda matrix: (
            gamma(matrix.stack, *depths)
            if matrix.kind in RESIDUAL_BRANCH and not matrix.cross
            else 1.0
        ),
    )
    return {}
