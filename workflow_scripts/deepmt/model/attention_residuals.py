"""Implement Attention Residuals between layers (Kimi team 2026)."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from deepmt.model.norm import NormFactory
from deepmt.settings.spec import Spec, Stack


class DepthAttention(nn.Module):
    """Compute x_{l+1} = sum_{i<=l} a_i v_i, a = softmax_i(w_l . RMSNorm(v_i)), of each position.

    v_0 is the embedding, v_l = y_l - x_l what layer l has added to its input; the output of the
    stack is one more such sum. w starts at 0, so every sum at the mean. A gain of the norm would be
    one with w.
    """

    def __init__(self, layers: int, d_model: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(layers, d_model))
        self.epsilon = epsilon

    def begin(self) -> "Contributions":
        """Start one pass through the stack."""
        return Contributions(self)


class Contributions:
    """Hold what the layers of one pass have added, and its logits for every reader above."""

    def __init__(self, attention: DepthAttention) -> None:
        self.attention = attention
        self.values: list[Tensor] = []
        self.logits: list[Tensor] = []
        self.x: Tensor | None = None

    def store(self, y: Tensor) -> None:
        """Add the output of the layer that last read, or the embedding: [B, T, D]."""
        value = y if self.x is None else y - self.x
        key = functional.rms_norm(value, value.shape[-1:], eps=self.attention.epsilon)
        self.values.append(value)
        self.logits.append(functional.linear(key, self.attention.weight))

    def read(self) -> Tensor:
        """Return the input of the next layer or, after the last layer, of the final norm."""
        self.x = self.values[0]
        if reader := len(self.values) - 1:
            logits = torch.stack([each[..., reader - 1] for each in self.logits])
            weights = logits.softmax(0).to(self.x.dtype).unsqueeze(-1)
            self.x = sum(a * v for a, v in zip(weights, self.values, strict=True))
        return self.x


def layer_aggregation(spec: Spec, size: Stack, norm: NormFactory) -> DepthAttention:
    """Return the attention over depth of one stack."""
    return DepthAttention(size.layers, size.d_model, spec.model.norm_epsilon)
