"""Update the matrices of a Transformer's layers by Muon, and all other weights by Adam."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from deepmt.init.matrices import matrices
from deepmt.kernels.flat_parameters import FlatParameters


class MuonAndAdam:
    """Take a step of both optimisers; `adam` makes that of the weights that Muon leaves."""

    def __init__(
        self, model: nn.Module, flat: FlatParameters, adam: Any, weight_decay: float
    ) -> None:
        layers = (*model.encoder.layers, *model.decoder.layers)
        own = {
            id(m.weight) for layer in layers for m in layer.modules() if isinstance(m, nn.Linear)
        }
        self.parts = (
            # With Moonshot's factor .2 sqrt(max(rows, columns)), steps are as long as Adam's.
            torch.optim.Muon(
                split(model, flat), weight_decay=weight_decay, adjust_lr_fn="match_rms_adamw"
            ),
            adam([p for p in flat.parameters if id(p) not in own]),
        )

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """Return the groups of both, whose learning rates are set before each step."""
        return [group for part in self.parts for group in part.param_groups]

    def step(self) -> None:
        """Take a step of both."""
        for part in self.parts:
            part.step()

    def state_dict(self) -> dict[str, Any]:
        """Return the state of both."""
        return {"parts": [part.state_dict() for part in self.parts]}


def split(model: nn.Module, flat: FlatParameters) -> Iterator[nn.Parameter]:
    """Yield each matrix of the layers with its gradient, queries, keys and values apart."""
    for matrix in matrices(model):
        first, shape = matrix.weight.storage_offset(), matrix.weight.shape
        part = nn.Parameter(matrix.weight.detach())
        part.grad = flat.gradient[first : first + shape.numel()].view(shape)
        yield part
