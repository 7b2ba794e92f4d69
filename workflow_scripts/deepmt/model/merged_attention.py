"""Merge self-attention and cross-attention of the decoder in one sublayer."""

from torch import Tensor, nn

from deepmt.kernels.decoder_caches import Cache
from deepmt.kernels.key_value_cache import DecodeStep
from deepmt.model.attention import CrossAttention, cross_attention
from deepmt.model.build import implementation
from deepmt.model.build_transformer import Sublayers
from deepmt.model.sublayer import Sublayer
from deepmt.settings.spec import Spec


class MergedAttention(nn.Module):
    """Compute (self(x) + context(x, memory)) W_o: with SAAN, MAtt of Zhang 2019, Eq. 17.

    Self-attention with its own output projection (softmax, Table 3 row 6) is added after W_o; AAN
    (row 7) and SAAN share W_o.
    """

    def __init__(self, self_attention: nn.Module, cross: CrossAttention) -> None:
        super().__init__()
        self.self_attention = self_attention
        self.cross = cross

    def _merge(self, own: Tensor, context: Tensor) -> Tensor:
        if self.self_attention.projected:
            return own + self.cross.out(context)
        return self.cross.out(own + context)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """Attend to the target and the encoder output: [B, T, D], memory [B, S, D] -> [B, T, D]."""
        return self._merge(self.self_attention(x), self.cross.context(x, memory, mask))

    def step(
        self, x: Tensor, cache: Cache, step: DecodeStep, entries: Tensor, mask: Tensor
    ) -> Tensor:
        """Compute one new position: [N, 1, D] -> [N, 1, D]."""
        return self._merge(
            self.self_attention.step(x, cache, step), self.cross.step_context(x, entries, mask)
        )


class MergedDecoderLayer(nn.Module):
    """Apply two sublayers, merged attention and feed-forward (Zhang 2019, section 6)."""

    def __init__(self, merged: Sublayer, feed_forward: Sublayer) -> None:
        super().__init__()
        self.merged = merged
        self.feed_forward = feed_forward

    @property
    def attention(self) -> MergedAttention:
        """Return the merged attention inside its sublayer."""
        return self.merged.f

    @property
    def cross_attention(self) -> CrossAttention:
        """Return the cross-attention inside the merged attention."""
        return self.attention.cross

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """Apply the layer: [B, T, D], memory [B, S, D] -> [B, T, D]."""
        return self.feed_forward(self.merged(x, memory, mask), layer_input=x)

    def start(self, sentences: int, beam: int, like: Tensor) -> Cache:
        """Return the cache before the first token."""
        return self.attention.self_attention.start(sentences, beam, like)

    def step(
        self, x: Tensor, cache: Cache, step: DecodeStep, entries: Tensor, mask: Tensor
    ) -> Tensor:
        """Compute one new position: [N, 1, D] -> [N, 1, D]."""
        y = self.merged.step(x, cache, step, entries, mask)
        return self.feed_forward.step(y, layer_input=x)


def decoder_layer(spec: Spec, sublayers: Sublayers) -> MergedDecoderLayer:
    """Return a layer of merged attention and feed-forward."""
    cross = cross_attention(spec)
    self_attention = implementation(spec, "decoder_self_attention")(spec, cross)
    merged = MergedAttention(self_attention, cross)
    return MergedDecoderLayer(sublayers.attention(merged), sublayers.feed_forward())
