"""A decoder layer with self-attention and cross-attention in sublayers of their own."""

from torch import Tensor, nn

from deepmt.config.spec import Spec
from deepmt.kernels.decoder_caches import Cache
from deepmt.kernels.key_value_cache import DecodeStep
from deepmt.model.attention import CrossAttention, cross_attention
from deepmt.model.build import implementation
from deepmt.model.build_transformer import Sublayers
from deepmt.model.sublayer import Sublayer


class StackedDecoderLayer(nn.Module):
    """The decoder's own branch, cross-attention, feed-forward: three sublayers."""

    def __init__(self, branch: Sublayer, cross: Sublayer, feed_forward: Sublayer) -> None:
        super().__init__()
        self.branch = branch
        self.cross = cross
        self.feed_forward = feed_forward

    @property
    def cross_attention(self) -> CrossAttention:
        """The part that projects the memory."""
        return self.cross.f

    @property
    def own(self) -> nn.Module:
        """The part that looks back at the target."""
        return self.branch.f

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """[B, T, D], memory [B, S, D] -> [B, T, D]."""
        return self.feed_forward(self.cross(self.branch(x), memory, mask))

    def step(
        self, x: Tensor, cache: Cache, step: DecodeStep, key: Tensor, value: Tensor, mask: Tensor
    ) -> Tensor:
        """[N, 1, D] -> [N, 1, D]."""
        x = self.branch.step(x, cache, step)
        return self.feed_forward.step(self.cross.step(x, key, value, mask))


def decoder_layer(spec: Spec, sublayers: Sublayers) -> StackedDecoderLayer:
    """Return self-attention, then cross-attention, then feed-forward."""
    cross = cross_attention(spec)
    own = implementation(spec, "decoder_self_attention")(spec, cross)
    return StackedDecoderLayer(
        sublayers.attention(own), sublayers.attention(cross), sublayers.feed_forward()
    )
