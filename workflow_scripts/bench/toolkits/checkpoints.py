"""The mean of checkpoints, as ours are averaged."""

from collections.abc import Sequence

import torch
from torch import Tensor

State = dict[str, Tensor]


def mean(states: Sequence[State]) -> State:
    """Of each tensor, summed in float64."""
    return {
        name: torch.stack([each[name].double() for each in states]).mean(0).to(value.dtype)
        for name, value in states[-1].items()
    }
