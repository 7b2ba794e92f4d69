"""The one line that all Transformer variants share."""

from typing import Any

from torch import Tensor, nn

from deepmt.model.dropout import Dropout
from deepmt.model.norm import Placement


class Sublayer(nn.Module):
    """x' = after(residual(e, dropout(f(before(e), ...)))), e = entry(x).

    Post-norm, pre-norm (Wang 2019, Eqs. 3-4), lingvo's form and ADMIN's weighted residual are
    choices of `placement` and `residual`.
    """

    def __init__(
        self, f: nn.Module, placement: Placement, residual: nn.Module, dropout: float
    ) -> None:
        super().__init__()
        self.f = f
        self.entry, self.before, self.after = placement
        self.residual = residual
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, *context: Any) -> Tensor:
        """[B, T, D] -> [B, T, D]; `context` goes to f."""
        x = self.entry(x)
        return self.after(self.residual(x, self.dropout(self.f(self.before(x), *context))))

    def step(self, x: Tensor, *context: Any) -> Tensor:
        """The same for one new position of each hypothesis, [N, 1, D]."""
        x = self.entry(x)
        return self.after(self.residual(x, self.dropout(self.f.step(self.before(x), *context))))
