"""Beam search over a batch of sentences, without Python work per hypothesis."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from deepmt.data.vocabulary import EOS, PAD, UNK
from deepmt.spec import Decoding

Penalty = Callable[[Tensor], Tensor]
WORST = -1e9


def length_penalty(form: Literal["wu", "power"], alpha: float) -> Penalty:
    """What log P is divided by; n counts target tokens with the end symbol.

    wu: ((5+n)/6)^alpha (Wu 2016; Zhang's code; Bapna's has (5+n)/5, which ranks alike).
    power: n^alpha (fairseq: Wang, Liu).
    """
    if form == "wu":
        return lambda n: ((5 + n) / 6) ** alpha
    return lambda n: n**alpha


@dataclass(frozen=True)
class Hypothesis:
    """A translation as token ids without the end symbol, and its penalised log probability."""

    tokens: list[int]
    score: float


@torch.inference_mode()
def beam_search(model: nn.Module, source: Tensor, settings: Decoding) -> list[Hypothesis]:
    """The best hypothesis of each source sentence [B, S].

    In each step the best 2 * beam continuations of a sentence are drawn from its beam * V; those
    that end enter the finished ones, the best `beam` of the others go on. A sentence is done when
    its worst kept finished hypothesis is at least as good as its best open one can still become,
    or at its longest length (source length + max_extra, at most max_length); then it leaves the
    batch. The end symbol is forbidden in the first step, padding and unknown always.
    """
    model.eval()
    return Search(model, source, settings).run()


class Search:
    """The tensors of one batch: B sentences still open, each with `beam` open hypotheses."""

    def __init__(self, model: nn.Module, source: Tensor, settings: Decoding) -> None:
        self.model = model
        self.beam = settings.beam
        self.penalty = length_penalty(settings.length_penalty, settings.alpha)
        device = source.device
        sentences = source.size(0)
        lengths = (source != PAD).sum(1)
        self.longest = (lengths + settings.max_extra).clamp(max=settings.max_length)
        steps = int(self.longest.max())
        self.state = model.start(model.encode(source), self.beam, steps)
        self.sentence = torch.arange(sentences, device=device)
        self.tokens = torch.full((sentences, self.beam, steps), PAD, device=device)
        # All hypotheses of a sentence are alike at first: only one of them may go on.
        self.scores = torch.full((sentences, self.beam), WORST, device=device)
        self.scores[:, 0] = 0
        self.done_scores = torch.full((sentences, self.beam), WORST, device=device)
        self.done_tokens = torch.full((sentences, self.beam, steps), PAD, device=device)
        self.results: list[Hypothesis | None] = [None] * sentences

    def run(self) -> list[Hypothesis]:
        """Step until no sentence is open."""
        length = 0
        last = torch.full((self.tokens.size(0) * self.beam,), EOS, device=self.tokens.device)
        while len(self.sentence):
            length += 1
            last = self._grow(last, length)
            last = self._close(last, length)
        return [result for result in self.results if result is not None]

    def _grow(self, last: Tensor, length: int) -> Tensor:
        """One step of all open hypotheses; return their last tokens [N]."""
        count, beam = self.scores.shape
        log_probs = self.model.step(last, self.state).float().log_softmax(-1)
        log_probs[:, [PAD, UNK]] = WORST
        if length == 1:
            log_probs[:, EOS] = WORST
        vocabulary = log_probs.size(-1)
        totals = self.scores[:, :, None] + log_probs.view(count, beam, vocabulary)
        # A sentence at its longest length can only end.
        at_limit = (self.longest <= length)[:, None, None]
        only_eos = torch.full((vocabulary,), WORST, device=totals.device)
        only_eos[EOS] = 0
        totals = torch.where(at_limit, totals + only_eos, totals)
        scores, flat = totals.view(count, -1).topk(min(2 * beam, beam * vocabulary), dim=1)
        origin, token = flat // vocabulary, flat % vocabulary
        ends = token == EOS
        self._finish(torch.where(ends, scores, WORST), origin, length)
        return self._continue(scores.masked_fill(ends, WORST), origin, token, length)

    def _finish(self, scores: Tensor, origin: Tensor, length: int) -> None:
        """Merge ended candidates [B, 2 beam] into the best `beam` finished ones."""
        penalised = torch.where(scores > WORST / 2, self._penalised(scores, length), WORST)
        merged = torch.cat([self.done_scores, penalised], 1)
        self.done_scores, kept = merged.topk(self.beam, dim=1)
        pool = torch.cat([self.done_tokens, take(self.tokens, origin)], 1)
        self.done_tokens = take(pool, kept)

    def _continue(self, scores: Tensor, origin: Tensor, token: Tensor, length: int) -> Tensor:
        """The best `beam` open candidates go on: reorder everything that belongs to them."""
        self.scores, kept = scores.topk(self.beam, dim=1)
        origin, token = origin.gather(1, kept), token.gather(1, kept)
        first = torch.arange(len(origin), device=origin.device)[:, None] * self.beam
        self.state.reorder((first + origin).flatten())
        self.tokens = take(self.tokens, origin)
        self.tokens[:, :, length - 1] = token
        return token.flatten()

    def _close(self, last: Tensor, length: int) -> Tensor:
        """Sentences that can gain nothing more leave the batch."""
        # log P only falls; with a positive exponent its penalised value is best at full length.
        bound = torch.maximum(
            self._penalised(self.scores[:, :1], length),
            self.scores[:, :1] / self.penalty(self.longest[:, None].float()),
        ).squeeze(1)
        settled = (self.done_scores[:, -1] >= bound) | (self.longest <= length)
        if not bool(settled.any()):
            return last
        for row in settled.nonzero().flatten().tolist():
            self._record(row)
        open_rows = (~settled).nonzero().flatten()
        self.state.keep(open_rows, self.beam)
        for name in ("sentence", "longest", "tokens", "scores", "done_scores", "done_tokens"):
            setattr(self, name, getattr(self, name)[open_rows])
        return last.view(-1, self.beam)[open_rows].flatten()

    def _record(self, row: int) -> None:
        tokens = self.done_tokens[row, 0].tolist()
        end = tokens.index(PAD) if PAD in tokens else len(tokens)
        score = float(self.done_scores[row, 0])
        self.results[int(self.sentence[row])] = Hypothesis(tokens[:end], score)

    def _penalised(self, scores: Tensor, length: int) -> Tensor:
        return scores / self.penalty(torch.tensor(float(length), device=scores.device))


def take(tokens: Tensor, rows: Tensor) -> Tensor:
    """tokens[b, rows[b, i]]: [B, n, steps], [B, m] -> [B, m, steps]."""
    return tokens.gather(1, rows[:, :, None].expand(-1, -1, tokens.size(2)))
