"""Implement the position-wise feed-forward sublayer."""

from torch import Tensor, nn

from deepmt.model.dropout import Dropout
from deepmt.model.linear import Linear


class FeedForward(nn.Module):
    """Compute FFN(x) = dropout(max(0, x W_1 + b_1)) W_2 + b_2 (Vaswani 2017, Eq. 2)."""

    def __init__(self, d_model: int, feed_forward: int, dropout: float) -> None:
        super().__init__()
        self.inner = Linear(d_model, feed_forward)
        self.outer = Linear(feed_forward, d_model)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Apply the sublayer: [B, T, D] -> [B, T, D]."""
        return self.outer(self.dropout(self.inner.rectified(x)))

    def step(self, x: Tensor) -> Tensor:
        """Compute one new position, which depends on no other: [N, 1, D] -> [N, 1, D]."""
        return self.forward(x)
