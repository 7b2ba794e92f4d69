"""Implement the residual connection of DeepNorm (Wang 2022)."""

from torch import Tensor, nn

from deepmt.model.sublayer_index import SublayerIndex
from deepmt.settings.spec import Spec


class ScaledResidual(nn.Module):
    """Compute alpha x + F(x) with a constant alpha."""

    def __init__(self, alpha: float) -> None:
        super().__init__()
        self.alpha = alpha

    def forward(self, x: Tensor, update: Tensor) -> Tensor:
        """Combine input and update: [B, T, D] twice -> [B, T, D]."""
        return self.alpha * x + update


def alpha(stack: str, encoder_layers: int, decoder_layers: int) -> float:
    """Return 0.81 (N^4 M)^(1/16) in the encoder and (3M)^(1/4) in the decoder."""
    if stack == "encoder":
        return 0.81 * (encoder_layers**4 * decoder_layers) ** (1 / 16)
    return (3 * decoder_layers) ** 0.25


def residual(spec: Spec, index: SublayerIndex) -> ScaledResidual:
    """Return the residual connection of one sublayer."""
    return ScaledResidual(alpha(index.stack, spec.encoder.layers, spec.decoder.layers))
