"""Apply dropout with the fastest implementation."""

from torch import Tensor, nn

from deepmt.kernels import dropout_bits
from deepmt.kernels.fast_form import fast_form


@fast_form(dropout_bits.dropout)
def dropout(x: Tensor, p: float, training: bool) -> Tensor:
    """Return x m / (1 - p), where m is 0 with probability p, else 1."""
    return nn.functional.dropout(x, p, training)


class Dropout(nn.Module):
    """Apply `dropout` in place of nn.Dropout."""

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        """Drop values in training: any shape -> same shape."""
        return dropout(x, self.p, self.training)
