"""Dropout."""

from torch import Tensor, nn

from deepmt.kernels import dropout_bits
from deepmt.kernels.fast_form import fast_form


@fast_form(dropout_bits.dropout)
def dropout(x: Tensor, p: float, training: bool) -> Tensor:
    """x m / (1 - p), m = 0 with probability p, else 1."""
    return nn.functional.dropout(x, p, training)


class Dropout(nn.Module):
    """nn.Dropout by `dropout`."""

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        """Any shape -> the same."""
        return dropout(x, self.p, self.training)
