"""Implement the decoder layer with self-attention and cross-attention in separate sublayers."""

from torch import Tensor, nn

from deepmt.kernels.decoder_caches import Cache
from deepmt.kernels.key_value_cache import DecodeStep
from deepmt.model.attention import CrossAttention, cross_attention
from deepmt.model.build import implementation
from deepmt.model.build_transformer import Sublayers
from deepmt.model.sublayer import Sublayer
from deepmt.settings.spec import Spec


class StackedDecoderLayer(nn.Module):
    """Apply three sublayers: self-attention, cross-attention, feed-forward."""

    def __init__(self, self_attention: Sublayer, cross: Sublayer, feed_forward: Sublayer) -> None:
        super().__init__()
        self.self_attention = self_attention
        self.cross = cross
        self.feed_forward = feed_forward

    @property
    def cross_attention(self) -> CrossAttention:
        """Return the cross-attention inside its sublayer."""
        return self.cross.f

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """Apply the layer: [B, T, D], memory [B, S, D] -> [B, T, D]."""
        y = self.cross(self.self_attention(x), memory, mask)
        return self.feed_forward(y, layer_input=x)

    def start(self, sentences: int, beam: int, like: Tensor) -> Cache:
        """Return the cache before the first token."""
        return self.self_attention.f.start(sentences, beam, like)

    def step(
        self, x: Tensor, cache: Cache, step: DecodeStep, entries: Tensor, mask: Tensor
    ) -> Tensor:
        """Compute one new position: [N, 1, D] -> [N, 1, D]."""
        y = self.cross.step(self.self_attention.step(x, cache, step), entries, mask)
        return self.feed_forward.step(y, layer_input=x)


def decoder_layer(spec: Spec, sublayers: Sublayers) -> StackedDecoderLayer:
    """Return a layer of self-attention, cross-attention and feed-forward."""
    cross = cross_attention(spec)
    self_attention = implementation(spec, "decoder_self_attention")(spec, cross)
    return StackedDecoderLayer(
        sublayers.attention(self_attention), sublayers.attention(cross), sublayers.feed_forward()
    )
