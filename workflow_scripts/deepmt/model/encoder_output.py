"""Define the output of an encoder."""

from dataclasses import dataclass

from torch import Tensor


@dataclass
class EncoderOutput:
    """Hold the states [B, S, D] that each decoder layer attends to, and the mask of real tokens."""

    states: list[Tensor]
    mask: Tensor  # B 1 1 S
