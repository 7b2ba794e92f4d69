"""Place norms and the B2T connection, from the bottom of a layer to its top (Takase 2023)."""

from torch import Tensor, nn

from deepmt.model.norm import NormFactory, NormScheme, Placement, placement, post
from deepmt.model.sublayer_index import SublayerIndex
from deepmt.settings.spec import Spec


class Shortcut(nn.Module):
    """Compute x + y, y the input of the layer."""

    def forward(self, x: Tensor, layer_input: Tensor) -> Tensor:
        """Add the layer's input: [B, T, D] twice -> [B, T, D]."""
        return x + layer_input


def b2t(new: NormFactory, index: SublayerIndex) -> Placement:
    """Place the last norm of a layer: x' = LN(x + F(x) + y)."""
    return placement(shortcut=Shortcut(), after=new())


def norm(spec: Spec) -> NormScheme:
    """Return the norm scheme: post-norm but for the last sublayer of each layer."""
    return NormScheme(post, b2t, final=False)
