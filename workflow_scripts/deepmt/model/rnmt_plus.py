"""RNMT+ (Chen 2018, as Bapna 2018 deepens it): LSTM layers, attention from the decoder's first.

Layer l of a stack is x_l = x_{l-1} + dropout(lstm(.)), without x_{l-1} for l = 1, 2, and in the
encoder of "Baseline - residuals" for all l. Embeddings are as wide as the cells: E = D.
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
    """An LSTM in both directions, side by side: 2D wide."""

    def __init__(self, lstm: Lstm, residual: nn.Module, dropout: float) -> None:
        super().__init__()
        self.lstm = lstm
        self.residual = residual
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, order: Tensor) -> Tensor:
        """[B, S, I], order [S, B, 1] of `backwards` -> [B, S, 2D]."""
        times = x.transpose(0, 1)
        forth, back = self.lstm(torch.stack([times, take(times, order)]))
        y = torch.cat([forth, take(back, order)], -1).transpose(0, 1)
        return self.residual(x, self.dropout(y))


def backwards(real: Tensor) -> Tensor:
    """[B, S], true where not padding -> where each position of the reversed sentence comes from.

    [S, B, 1]. Padding stays on the right, so that the last real token is read first and no state
    that has seen padding is ever used.
    """
    position = torch.arange(real.size(1), device=real.device)[:, None]
    lengths = real.sum(1)
    return torch.where(position < lengths, lengths - 1 - position, position)[:, :, None]


def take(x: Tensor, order: Tensor) -> Tensor:
    """x[order[s, b], b]: [S, B, D] -> [S, B, D]."""
    return x.gather(0, order.expand_as(x))


class RecurrentEncoder(nn.Module):
    """Bidirectional layers, and the projection 2D -> D of what the decoder attends."""

    def __init__(self, layers: list[RecurrentEncoderLayer], projection: nn.Linear) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.projection = projection

    def read_all(self, x: Tensor, real: Tensor) -> list[Tensor]:
        """h^1..h^N, [B, S, 2D] each; the embedding, not so wide, is not among them (lingvo)."""
        order = backwards(real)
        outputs = []
        for layer in self.layers:
            x = layer(x, order)
            outputs.append(x)
        return outputs


class AttendingLayer(nn.Module):
    """m_t = lstm([embedding_t; context_{t-1}]), context_t = attention(m_t): one loop over t.

    context_0 is attention with a zero query.
    """

    def __init__(self, lstm: Lstm, attention: AdditiveAttention, dropout: float) -> None:
        super().__init__()
        self.lstm = lstm
        self.attention = attention
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """[B, T, E], memory [B, S, D] -> output and contexts, [B, T, D] each."""
        step, (m, c) = self.lstm.step(), self.lstm.start(x.size(0))
        projected = self.attention.project(memory)
        context = self.attention(m.transpose(0, 1), *projected, mask)
        states, contexts = [], []
        for product in self.lstm.project(x.transpose(0, 1)[None]).unbind(1):
            m, c = step(product, torch.cat([context.transpose(0, 1), m], -1), c)
            context = self.attention(m.transpose(0, 1), *projected, mask)
            states.append(m[0])
            contexts.append(context)
        return self.dropout(torch.stack(states, 1)), torch.cat(contexts, 1)

    def start(self, beam: int, key: Tensor, value: Tensor, mask: Tensor) -> RowCache:
        """Return state and context before the first token of `beam` hypotheses a sentence."""
        m, c = self.lstm.start(key.size(0) * beam)
        return RowCache(m=m[0], c=c[0], context=self._attend(m[0], key, value, mask))

    def step(
        self, x: Tensor, cache: RowCache, key: Tensor, value: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """[N, E] -> output and context, [N, D] each."""
        fed = torch.cat([cache["context"], cache["m"]], -1)
        advance(self.lstm, x, fed, cache)
        cache["context"] = self._attend(cache["m"], key, value, mask)
        return cache["m"], cache["context"]

    def _attend(self, m: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        # The hypotheses of one sentence are queries to one memory, which is never repeated.
        return self.attention(m.view(key.size(0), -1, m.size(-1)), key, value, mask).view_as(m)


class RecurrentDecoderLayer(nn.Module):
    """lstm([x; context]): nothing waits for it, so its input product takes all t at once."""

    def __init__(self, lstm: Lstm, residual: nn.Module, dropout: float) -> None:
        super().__init__()
        self.lstm = lstm
        self.residual = residual
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, context: Tensor) -> Tensor:
        """[B, T, D], [B, T, D] -> [B, T, D]."""
        y = self.lstm(torch.cat([x, context], -1).transpose(0, 1)[None])
        return self.residual(x, self.dropout(y[0].transpose(0, 1)))

    def start(self, hypotheses: int) -> RowCache:
        """Return the state before the first token."""
        m, c = self.lstm.start(hypotheses)
        return RowCache(m=m[0], c=c[0])

    def step(self, x: Tensor, context: Tensor, cache: RowCache) -> Tensor:
        """[N, D], [N, D] -> [N, D]."""
        advance(self.lstm, torch.cat([x, context], -1), cache["m"], cache)
        return self.residual(x, cache["m"])


def advance(lstm: Lstm, x: Tensor, fed: Tensor, cache: RowCache) -> None:
    """Take one step of all hypotheses: replace m and c in the cache."""
    product = lstm.project(x[None, None])[:, 0]
    m, c = lstm.step()(product, fed[None], cache["c"][None])
    cache["m"], cache["c"] = m[0], c[0]


class RecurrentDecoder(nn.Module):
    """The layer that attends, then layers that all read its context."""

    def __init__(self, first: AttendingLayer, others: list[RecurrentDecoderLayer]) -> None:
        super().__init__()
        self.layers = nn.ModuleList([first, *others])

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """[B, T, E], memory [B, S, D] -> [top; context] [B, T, 2D]."""
        x, context = self.layers[0](x, memory, mask)
        for layer in self.layers[1:]:
            x = layer(x, context)
        return torch.cat([x, context], -1)


class RnmtPlus(nn.Module):
    """A translation model: source tokens -> encoder output -> logits of target tokens.

    The softmax reads [top; context], 2D wide, so it can share no embedding: it always has a matrix
    of its own, whatever `model.tie` says. Decoding starts from the end symbol.
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
        """[B, S] with padding on the right -> one [B, S, D] for the whole decoder, and a mask."""
        real = source != PAD
        layers = self.encoder.read_all(self.source(source), real)
        mask = real[:, None, None, :]
        return EncoderOutput(self.encoder_output(layers, self.encoder.projection), mask)

    def decode(self, encoded: EncoderOutput, target: Tensor) -> Tensor:
        """States that predict each token of `target` [B, T], which ends in EOS: [B, T, 2D]."""
        x = self.target(functional.pad(target[:, :-1], (1, 0), value=EOS))
        return self.decoder(x, encoded.states[0], encoded.mask)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """[B, S], [B, T] -> states [B, T, 2D]; `output` turns states into logits."""
        return self.decode(self.encode(source), target)

    def start(self, encoded: EncoderOutput, beam: int) -> DecoderCaches:
        """Return the caches before the first token, for `beam` hypotheses a sentence."""
        first, *others = self.decoder.layers
        key, value = first.attention.project(encoded.states[0])
        rows = encoded.mask.size(0) * beam
        layers = [first.start(beam, key, value, encoded.mask), *(one.start(rows) for one in others)]
        return DecoderCaches(layers, [(key, value)], encoded.mask)

    def step(self, tokens: Tensor, step: DecodeStep, caches: DecoderCaches) -> Tensor:
        """The last token of each hypothesis [N], at first the end symbol -> logits [N, V]."""
        x = self.target(tokens)
        first, *others = self.decoder.layers
        ((key, value),) = caches.encoder_keys_values
        x, context = first.step(x, caches.layers[0], key, value, caches.mask)
        for layer, cache in zip(others, caches.layers[1:], strict=True):
            x = layer.step(x, context, cache)
        return self.output(torch.cat([x, context], -1))
