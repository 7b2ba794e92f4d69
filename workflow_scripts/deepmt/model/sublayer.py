"""Apply the equation that all Transformer variants share."""

from typing import Any

from torch import Tensor, nn

from deepmt.model.dropout import Dropout
from deepmt.model.norm import Placement


class Sublayer(nn.Module):
    """Compute x' = after(shortcut(residual(e, dropout(exit(f(before(e), ...)))), y)), e = entry(x).

    `placement` and `residual` choose post-norm, pre-norm (Wang 2019, Eqs. 3-4) or lingvo's,
    ADMIN's weighted residual, or a method that came later. The last sublayer of a layer is given
    y, the input of the layer.
    """

    def __init__(
        self, f: nn.Module, placement: Placement, residual: nn.Module, dropout: float
    ) -> None:
        super().__init__()
        self.f = f
        self.entry, self.before, self.exit, self.shortcut, self.after = placement
        self.residual = residual
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, *context: Any, layer_input: Tensor | None = None) -> Tensor:
        """Apply the sublayer: [B, T, D] -> [B, T, D]; `context` is passed to f."""
        x = self.entry(x)
        return self._end(x, self.f(self.before(x), *context), layer_input)

    def step(self, x: Tensor, *context: Any, layer_input: Tensor | None = None) -> Tensor:
        """Compute one new position of each hypothesis: [N, 1, D] -> [N, 1, D]."""
        x = self.entry(x)
        return self._end(x, self.f.step(self.before(x), *context), layer_input)

    def _end(self, x: Tensor, update: Tensor, layer_input: Tensor | None) -> Tensor:
        x = self.residual(x, self.dropout(self.exit(update)))
        return self.after(self.shortcut(x, layer_input))
