"""Implement the Transformer around the parts that `build_transformer.py` makes."""

from dataclasses import replace

from torch import Tensor, nn
from torch.nn import functional

from deepmt.data.vocabulary import EOS, PAD
from deepmt.kernels.decoder_caches import DecoderCaches
from deepmt.kernels.key_value_cache import DecodeStep
from deepmt.model.attention import shared_mask
from deepmt.model.embedding import Embedding
from deepmt.model.encoder_output import EncoderOutput
from deepmt.model.sublayer import Sublayer


class EncoderLayer(nn.Module):
    """Apply self-attention, then feed-forward."""

    def __init__(self, attention: Sublayer, feed_forward: Sublayer) -> None:
        super().__init__()
        self.attention = attention
        self.feed_forward = feed_forward

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Apply the layer: [B, S, D] -> [B, S, D]."""
        return self.feed_forward(self.attention(x, mask), layer_input=x)


class LayerStack(nn.Module):
    """Stack layers: `aggregation` makes their inputs, `final` normalises the last output."""

    def __init__(self, layers: list[nn.Module], aggregation: nn.Module, final: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.aggregation = aggregation
        self.final = final

    def layer_outputs(self, x: Tensor, *context: Tensor) -> list[Tensor]:
        """Return h^0..h^N after aggregation, without the final norm: [B, S, D] each."""
        history = self.aggregation.begin()
        history.store(x)
        outputs = [history.read()]
        for layer in self.layers:
            history.store(layer(outputs[-1], *context))
            outputs.append(history.read())
        return outputs


class Transformer(nn.Module):
    """Translate: source tokens -> encoder output -> logits of target tokens."""

    def __init__(
        self,
        encoder: LayerStack,
        decoder: LayerStack,
        encoder_output: nn.Module,
        source: Embedding,
        target: Embedding,
        output: nn.Linear,
        *,
        zero_start: bool,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.encoder_output = encoder_output
        self.source = source
        self.target = target
        self.output = output
        self.zero_start = zero_start

    def encode(self, source: Tensor) -> EncoderOutput:
        """Encode source tokens [B, S] with padding on the right."""
        mask = (source != PAD)[:, None, None, :]
        layers = self.encoder.layer_outputs(self.source(source), mask)
        return EncoderOutput(self.encoder_output(layers, self.encoder.final), mask)

    def decode(self, encoded: EncoderOutput, target: Tensor) -> Tensor:
        """Return the states [B, T, D] that predict each token of `target` [B, T], EOS included."""
        history = self.decoder.aggregation.begin()
        history.store(self.target.add_positions(self._shifted(target)))
        for layer, state in zip(self.decoder.layers, encoded.states, strict=True):
            history.store(layer(history.read(), state, encoded.mask))
        return self.decoder.final(history.read())

    def _shifted(self, target: Tensor) -> Tensor:
        if self.zero_start:
            return functional.pad(self.target.vectors(target[:, :-1]), (0, 0, 1, 0))
        return self.target.vectors(functional.pad(target[:, :-1], (1, 0), value=EOS))

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Return decoder states, which `output` maps to logits: [B, S], [B, T] -> [B, T, D]."""
        return self.decode(self.encode(source), target)

    def start(self, encoded: EncoderOutput, beam: int) -> DecoderCaches:
        """Return the caches before the first token, for `beam` hypotheses per sentence."""
        sentences, like = encoded.mask.size(0), encoded.states[0]
        caches = [layer.start(sentences, beam, like) for layer in self.decoder.layers]
        entries = [
            layer.cross_attention.entries(state)
            for layer, state in zip(self.decoder.layers, encoded.states, strict=True)
        ]
        return DecoderCaches(caches, entries, encoded.mask)

    def step(self, tokens: Tensor, step: DecodeStep, caches: DecoderCaches) -> Tensor:
        """Return the next logits: last token of each hypothesis, EOS at first, [N] -> [N, V]."""
        x = self.target.vectors(tokens)
        if self.zero_start:
            x = x.masked_fill((step.position == 0)[:, None], 0)
        history = self.decoder.aggregation.begin()
        x = self.target.add_position_of_each(x, step.position, step.last)
        history.store(x[:, None])
        step = replace(step, mask=shared_mask(step.mask, x))
        mask = shared_mask(caches.mask, x)
        for layer, cache, entries in zip(
            self.decoder.layers, caches.layers, caches.encoder_entries, strict=True
        ):
            history.store(layer.step(history.read(), cache, step, entries, mask))
        return self.output(self.decoder.final(history.read())[:, 0])
