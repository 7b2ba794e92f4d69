"""Initialise by DeepNorm (Wang 2022)."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from deepmt.init import glorot
from deepmt.init.glorot import Batch
from deepmt.init.matrices import RESIDUAL_BRANCH, as_torch_, matrices
from deepmt.settings.spec import Spec


def beta(stack: str, encoder_layers: int, decoder_layers: int, constants: str) -> float:
    """Return the factor on the weights of a sublayer's output.

    Encoder: 0.87 (N^4 M)^(-1/16); torchscale divides by (N^4 M)^(1/16) / 1.15 instead. Decoder:
    (12M)^(-1/4) in both.
    """
    if stack == "encoder":
        power = (encoder_layers**4 * decoder_layers) ** (-1 / 16)
        return power * (0.87 if constants == "paper" else 1.15)
    return (12 * decoder_layers) ** -0.25


@torch.no_grad()
def initialisation(model: nn.Module, spec: Spec, batch: Callable[[], Batch]) -> dict[str, Any]:
    """Draw the layers' matrices; all else is drawn by `glorot`.

    Paper: normal with the variance of Glorot, times beta^2 but for queries and keys; biases are 0.
    torchscale: torch's own uniform +-1 / sqrt(fan_in) for weights and biases, times its factor but
    for queries and keys.
    """
    glorot.initialisation(model, spec, batch)
    constants = spec.method.initialisation.constants
    depths = spec.encoder.layers, spec.decoder.layers
    for matrix in matrices(model):
        scaled = matrix.kind in RESIDUAL_BRANCH
        factor = beta(matrix.stack, *depths, constants) if scaled else 1.0
        fan_out, fan_in = matrix.weight.shape
        if constants == "paper":
            matrix.weight.normal_(std=factor * math.sqrt(2 / (fan_in + fan_out)))
        else:
            as_torch_(matrix, factor)
    return {}
