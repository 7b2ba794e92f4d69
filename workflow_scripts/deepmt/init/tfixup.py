"""Initialise by T-Fixup (Huang 2020; layer6ai-labs/T-Fixup)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from deepmt.init import glorot
from deepmt.init.glorot import Batch, uniform_
from deepmt.init.matrices import RESIDUAL_BRANCH, matrices
from deepmt.settings.spec import Spec


def factor(stack: str, layers: int) -> float:
    """Return the factor on weights of a sublayer's output: .67 N^(-1/4), decoder (9M)^(-1/4)."""
    return 0.67 * layers**-0.25 if stack == "encoder" else embedding_factor(layers)


def embedding_factor(layers: int) -> float:
    """Return the factor on a stack's embedding, (9N)^(-1/4)."""
    return (9 * layers) ** -0.25


@torch.no_grad()
def initialisation(model: nn.Module, spec: Spec, batch: Callable[[], Batch]) -> dict[str, Any]:
    """Draw weights by `glorot`, but for the matrices of attention and feed-forward layers.

    These have fans of their own. Queries and keys have the gain 1/sqrt(2), as in the released code.
    A matrix of embeddings that both sides share has the encoder's factor; a softmax that shares
    one is scaled with it. Sinusoids are not scaled.
    """
    glorot.initialisation(model, spec, batch)
    for matrix in matrices(model):
        if matrix.kind != "other":
            scaled = matrix.kind in RESIDUAL_BRANCH
            gain = factor(matrix.stack, getattr(spec, matrix.stack).layers) if scaled else 2**-0.5
            fan_out, fan_in = matrix.weight.shape
            uniform_(matrix.weight, fan_in, fan_out, gain)
    tables = {"decoder": model.target.table.weight, "encoder": model.source.table.weight}
    if spec.model.tie == "all":
        del tables["decoder"]
    for stack, table in tables.items():
        table.mul_(embedding_factor(getattr(spec, stack).layers))
    return {}
