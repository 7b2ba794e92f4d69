"""The output of an encoder."""

from dataclasses import dataclass

from torch import Tensor


@dataclass
class EncoderOutput:
    """States that decoder layers attend, one [B, S, D] a layer, and a mask: true where real."""

    states: list[Tensor]
    mask: Tensor  # B 1 1 S
