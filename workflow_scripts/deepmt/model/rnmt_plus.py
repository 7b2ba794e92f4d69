"""Implement RNMT+ (Chen 2018, deepened by Bapna 2018); its first decoder layer attends.

Layer l of a stack is x_l = x_{l-1} + dropout(lstm(.)), without x_{l-1} for l = 1, 2 and, in the
encoder of "Baseline - residuals", for all l. The output of the attending layer has no dropout, as
in lingvo. Embeddings are as wide as the cells: E = D.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from deepmt.data.vocabulary import EOS, PAD
from deepmt.kernels.decoder_caches import DecoderCaches, RowCache
from deepmt.kernels.key_value_cache import DecodeStep
from deepmt.model.additive_attention import AdditiveAttention
from deepmt.model.dropout import Dropout
from deepmt.model.encoder_output import EncoderOutput
from deepmt.model.lstm import Lstm


class RecurrentEncoderLayer(nn.Module):
    """Run an LSTM in both directions and concatenate the outputs: 2D wide."""

    def __init__(self, lstm: Lstm, residual: nn.Module, dropout: float) -> None:
        super().__init__()
        self.lstm = lstm
        self.residual = residual
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, order: Tensor) -> Tensor:
        """Apply the layer: [B, S, I], order [S, B, 1] of `reversed_order` -> [B, S, 2D]."""
        times = x.transpose(0, 1)
        forth, back = self.lstm(torch.stack([times, take(times, order)]))
        y = torch.cat([forth, take(back, order)], -1).transpose(0, 1)
        return self.residual(x, self.dropout(y))


def reversed_order(real: Tensor) -> Tensor:
    """Return the index of each token in the reversed order: `real` [B, S] -> [S, B, 1].

    `real` is false at padding. Padding stays on the right: the last real token is read first, and
    no state that depends on padding is ever used.
    """
    position = torch.arange(real.size(1), device=real.device)[:, None]
    lengths = real.sum(1)
    return torch.where(position < lengths, lengths - 1 - position, position)[:, :, None]


def take(x: Tensor, order: Tensor) -> Tensor:
    """Return x[order[s, b], b]: [S, B, D] -> [S, B, D]."""
    return x.gather(0, order.expand_as(x))


class RecurrentEncoder(nn.Module):
    """Hold bidirectional layers and the projection 2D -> D of their output for the decoder."""

    def __init__(self, layers: list[RecurrentEncoderLayer], projection: nn.Linear) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.projection = projection

    def layer_outputs(self, x: Tensor, real: Tensor) -> list[Tensor]:
        """Return h^1..h^N, [B, S, 2D] each, without the embedding, which is narrower (lingvo)."""
        order = reversed_order(real)
        outputs = []
        for layer in self.layers:
            x = layer(x, order)
            outputs.append(x)
        return outputs


class AttendingLayer(nn.Module):
    """Compute m_t = lstm([embedding_t; context_{t-1}]) and context_t = attention(m_t).

    Both depend on the step before, so they share one loop over t. context_0 is attention with a
    zero query.
    """

    def __init__(self, lstm: Lstm, attention: AdditiveAttention) -> None:
        super().__init__()
        self.lstm = lstm
        self.attention = attention

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return output and contexts: [B, T, E], memory [B, S, D] -> [B, T, D] each."""
        step, (m, c) = self.lstm.step(), self.lstm.start(x.size(0))
        projected = self.attention.project(memory)
        context = self.attention(m.transpose(0, 1), *projected, mask)
        states, contexts = [], []
        for product in self.lstm.project(x.transpose(0, 1)[None]).unbind(1):
            m, c = step(product, torch.cat([context.transpose(0, 1), m], -1), c)
            context = self.attention(m.transpose(0, 1), *projected, mask)
            states.append(m[0])
            contexts.append(context)
        return torch.stack(states, 1), torch.cat(contexts, 1)

    def start(self, beam: int, key: Tensor, value: Tensor, mask: Tensor) -> RowCache:
        """Return state and context before the first token, for `beam` hypotheses per sentence."""
        m, c = self.lstm.start(key.size(0) * beam)
        return RowCache(m=m[0], c=c[0], context=self._attend(m[0], key, value, mask))

    def step(
        self, x: Tensor, cache: RowCache, key: Tensor, value: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return output and context of one step: [N, E] -> [N, D] each."""
        fed = torch.cat([cache["context"], cache["m"]], -1)
        advance(self.lstm, x, fed, cache)
        cache["context"] = self._attend(cache["m"], key, value, mask)
        return cache["m"], cache["context"]

    def _attend(self, m: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        # The hypotheses of a sentence share its keys and values, which are never copied.
        return self.attention(m.view(key.size(0), -1, m.size(-1)), key, value, mask).view_as(m)


class RecurrentDecoderLayer(nn.Module):
    """Compute lstm([x; context]), with the product of the input for all t at once."""

    def __init__(self, lstm: Lstm, residual: nn.Module, dropout: float) -> None:
        super().__init__()
        self.lstm = lstm
        self.residual = residual
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, context: Tensor) -> Tensor:
        """Apply the layer: [B, T, D], [B, T, D] -> [B, T, D]."""
        y = self.lstm(torch.cat([x, context], -1).transpose(0, 1)[None])
        return self.residual(x, self.dropout(y[0].transpose(0, 1)))

    def start(self, hypotheses: int) -> RowCache:
        """Return the state before the first token."""
        m, c = self.lstm.start(hypotheses)
        return RowCache(m=m[0], c=c[0])

    def step(self, x: Tensor, context: Tensor, cache: RowCache) -> Tensor:
        """Compute one step: [N, D], [N, D] -> [N, D]."""
        advance(self.lstm, torch.cat([x, context], -1), cache["m"], cache)
        return self.residual(x, cache["m"])


def advance(lstm: Lstm, x: Tensor, fed: Tensor, cache: RowCache) -> None:
    """Advance all hypotheses by one step: replace m and c in the cache."""
    product = lstm.project(x[None, None])[:, 0]
    m, c = lstm.step()(product, fed[None], cache["c"][None])
    cache["m"], cache["c"] = m[0], c[0]


class RecurrentDecoder(nn.Module):
    """Apply the layer that attends, then layers that all read its context."""

    def __init__(self, first: AttendingLayer, others: list[RecurrentDecoderLayer]) -> None:
        super().__init__()
        self.layers = nn.ModuleList([first, *others])

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """Return [top; context]: [B, T, E], memory [B, S, D] -> [B, T, 2D]."""
        x, context = self.layers[0](x, memory, mask)
        for layer in self.layers[1:]:
            x = layer(x, context)
        return torch.cat([x, context], -1)


class RnmtPlus(nn.Module):
    """Translate: source tokens -> encoder output -> logits of target tokens.

    The softmax reads [top; context], which is 2D wide, so it cannot share an embedding matrix
    whatever `model.tie` says. Decoding starts from the end symbol.
    """

    def __init__(
        self,
        encoder: RecurrentEncoder,
        decoder: RecurrentDecoder,
        encoder_output: nn.Module,
        source: nn.Module,
        target: nn.Module,
        output: nn.Linear,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.encoder_output = encoder_output
        self.source = source
        self.target = target
        self.output = output

    def encode(self, source: Tensor) -> EncoderOutput:
        """Encode source tokens [B, S] with padding on the right: one [B, S, D] for all layers."""
        real = source != PAD
        layers = self.encoder.layer_outputs(self.source(source), real)
        mask = real[:, None, None, :]
        return EncoderOutput(self.encoder_output(layers, self.encoder.projection), mask)

    def decode(self, encoded: EncoderOutput, target: Tensor) -> Tensor:
        """Return the states [B, T, 2D] that predict each token of `target` [B, T], EOS included."""
        x = self.target(functional.pad(target[:, :-1], (1, 0), value=EOS))
        return self.decoder(x, encoded.states[0], encoded.mask)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Return decoder states, which `output` maps to logits: [B, S], [B, T] -> [B, T, 2D]."""
        return self.decode(self.encode(source), target)

    def start(self, encoded: EncoderOutput, beam: int) -> DecoderCaches:
        """Return the caches before the first token, for `beam` hypotheses per sentence."""
        first, *others = self.decoder.layers
        key, value = first.attention.project(encoded.states[0])
        rows = encoded.mask.size(0) * beam
        layers = [first.start(beam, key, value, encoded.mask), *(one.start(rows) for one in others)]
        entries = torch.stack([key, value], 1).permute(0, 3, 1, 2, 4)
        return DecoderCaches(layers, [entries], encoded.mask)

    def step(self, tokens: Tensor, step: DecodeStep, caches: DecoderCaches) -> Tensor:
        """Return the next logits: last token of each hypothesis, EOS at first, [N] -> [N, V]."""
        x = self.target(tokens)
        first, *others = self.decoder.layers
        [entries] = caches.encoder_entries
        key, value = entries.permute(2, 0, 3, 1, 4)
        x, context = first.step(x, caches.layers[0], key, value, caches.mask)
        for layer, cache in zip(others, caches.layers[1:], strict=True):
            x = layer.step(x, context, cache)
        return self.output(torch.cat([x, context], -1))
