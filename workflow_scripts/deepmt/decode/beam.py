"""Run beam search on S sentences, each with `beam` open hypotheses that grow token by token."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from deepmt.data.vocabulary import EOS, PAD, UNK
from deepmt.decode.decoder_state import DecoderState
from deepmt.kernels.blockwise_topk import largest
from deepmt.settings.spec import Decoding

WORST = -1e9


def length_penalty(form: Literal["wu", "power"], alpha: float) -> Callable[[Tensor], Tensor]:
    """Return the function of n by which log P is divided; n counts tokens and the end symbol.

    wu: ((5+n)/6)^alpha (Wu 2016; Zhang's code; Bapna's has (5+n)/5, which ranks the same).
    power: n^alpha (fairseq: Wang, Liu).
    """
    if form == "wu":
        return lambda n: ((5 + n) / 6) ** alpha
    return lambda n: n**alpha


def longest_output(sentence: Tensor, settings: Decoding) -> int:
    """Return the maximum number of target tokens for a source sentence, with the end symbol."""
    return min(len(sentence) + settings.max_extra, settings.max_length)


@dataclass(frozen=True)
class Hypothesis:
    """Hold a translation as token ids without the end symbol, and its penalised log probability."""

    tokens: list[int]
    score: float


@dataclass(frozen=True)
class Candidates:
    """Hold C continuations of the open hypotheses of each sentence, best first: [S, C] each."""

    scores: Tensor
    origin: Tensor
    """Hypothesis that each candidate continues."""
    token: Tensor


def best_candidates(totals: Tensor) -> Candidates:
    """Return the best 2 * beam of all beam * V continuations: log P [S, beam, V].

    Twice the beam, for up to `beam` of them may be the end symbol; a beam of one is greedy and ends
    with it.
    """
    beam, vocabulary = totals.shape[1:]
    scores, flat = largest(totals.flatten(1), 2 * beam if beam > 1 else 1)
    return Candidates(scores, flat // vocabulary, flat % vocabulary)


class Beams:
    """Hold the open and finished hypotheses of S sentences.

    A step considers the best 2 * beam candidates of a sentence. Candidates that end become
    finished hypotheses if they are among the best `beam`; the best `beam` that do not end stay
    open (fairseq; in Zhang's code all that end become finished). A sentence is complete at its
    maximum length (source length + max_extra, at most max_length), or when it has `beam` finished
    hypotheses and early_stopping is set or the worst of them is at least as good as its best open
    one can still become. The end symbol is forbidden in the first min_length steps, padding and
    unknown always.
    """

    def __init__(
        self, model: nn.Module, sentences: Sequence[Tensor], settings: Decoding, steps: int
    ) -> None:
        """Encode source sentences; no sentence takes more than `steps`."""
        device = next(model.parameters()).device
        source = pad_sequence(list(sentences), batch_first=True, padding_value=PAD).to(device)
        self.state = DecoderState(model, model.encode(source), settings.beam, steps)
        self.settings = settings
        self.penalty = length_penalty(settings.length_penalty, settings.alpha)
        self.limits = [longest_output(sentence, settings) for sentence in sentences]
        self.longest = torch.tensor(self.limits, device=device)  # S
        shape = len(sentences), settings.beam
        self.done_scores = torch.full(shape, WORST, device=device)
        # All hypotheses of a sentence are equal at first, so only one of them is open.
        self.scores = self.done_scores.clone()
        self.scores[:, 0] = 0
        self.uniform = self.scores.new_empty(len(sentences), 0, dtype=torch.double)
        """Random numbers of a sampler, one per step: [S, steps]."""
        self.last = torch.full(shape, EOS, device=device)
        """Last token of each open hypothesis, at first the end symbol."""
        self.tokens = torch.full((*shape, steps), PAD, device=device)
        self.done_tokens = self.tokens.clone()

    def step(self, choose: Callable[[Tensor], Candidates] = best_candidates) -> None:
        """Extend every open hypothesis by one token."""
        log_probs = self.state.step(self.last.flatten()).float().log_softmax(-1)
        allowed = self._allowed(log_probs.view(*self.scores.shape, -1))
        found = choose(allowed.add_(self.scores[:, :, None]))
        ends = found.token == EOS
        self._finish(found, ends)
        self._go_on(found, ends)

    def _allowed(self, log_probs: Tensor) -> Tensor:
        """Forbid padding, unknown, an early end, and all but the end at the limit: [S, beam, V]."""
        lengths, position = self.state.lengths, self.state.position[:, None]
        for token in (PAD, UNK):
            log_probs[:, :, token] = WORST
        if min(lengths) < self.settings.min_length:
            log_probs[:, :, EOS].masked_fill_(position < self.settings.min_length, WORST)
        if any(n + 1 >= limit for n, limit in zip(lengths, self.limits, strict=True)):
            end = log_probs[:, :, EOS].clone()
            at_limit = position + 1 >= self.longest[:, None]
            log_probs.masked_fill_(at_limit[:, :, None], WORST)[:, :, EOS] = end
        return log_probs

    def _finish(self, found: Candidates, ends: Tensor) -> None:
        """Merge the best `beam` candidates that end into the finished hypotheses."""
        beam, width = self.settings.beam, max(self.state.lengths) + 1
        length = self.state.position[:, None] + 1
        scores = found.scores[:, :beam]
        real = ends[:, :beam] & (scores > WORST / 2)
        penalised = torch.where(real, scores / self.penalty(length.float()), WORST)
        merged = torch.cat([self.done_scores, penalised], 1)
        self.done_scores, kept = merged.topk(beam, dim=1)
        grown = gather_rows(self.tokens[:, :, :width], found.origin[:, :beam])
        pool = torch.cat([self.done_tokens[:, :, :width], grown], 1)
        self.done_tokens[:, :, :width] = gather_rows(pool, kept)

    def _go_on(self, found: Candidates, ends: Tensor) -> None:
        """Make the best `beam` candidates that do not end the open hypotheses."""
        width = max(self.state.lengths) + 1
        self.scores, kept = found.scores.masked_fill(ends, WORST).topk(self.settings.beam, dim=1)
        origin = found.origin.gather(1, kept)
        self.tokens[:, :, :width] = gather_rows(self.tokens[:, :, :width], origin)
        self.last = found.token.gather(1, kept)
        position = self.state.position[:, None, None].expand(-1, self.settings.beam, 1)
        self.tokens.scatter_(2, position, self.last[:, :, None])
        self.state.reorder(origin)

    def complete(self) -> list[int]:
        """Return the sentences whose search is over, and clear their state."""
        length = self.state.position[:, None]
        best, longest = self.scores[:, :1], self.longest[:, None]
        worst = self.done_scores[:, -1:]
        if self.settings.early_stopping:
            bound = torch.full_like(worst, WORST / 2)
        else:
            # log P only decreases; if alpha > 0, its penalised value is best at the maximum length.
            bound = torch.maximum(
                best / self.penalty(length.float()), best / self.penalty(longest.float())
            )
        complete = ((worst >= bound) | (longest <= length))[:, 0]
        over = [s for s, ended in enumerate(complete.tolist()) if ended]  # the only copy of a step
        if over:
            self.state.clear(over, complete)
        return over

    def hypotheses(self, sentences: list[int]) -> list[list[Hypothesis]]:
        """Return the finished hypotheses of these sentences, best first."""
        chosen = self.state.index(sentences)
        rows, scores = self.done_tokens[chosen].cpu().numpy(), self.done_scores[chosen].tolist()
        return [
            [
                Hypothesis(tokens[tokens != PAD].tolist(), score)
                for tokens, score in zip(*each, strict=True)
                if score > WORST / 2
            ]
            for each in zip(rows, scores, strict=True)
        ]

    def put(self, sentences: list[int], new: "Beams") -> None:
        """Replace these sentences by those of `new`, which are at their first step."""
        self.state.put(sentences, new.state)
        for sentence, limit in zip(sentences, new.limits, strict=True):
            self.limits[sentence] = limit
        chosen = self.state.index(sentences)
        for name in TENSORS:
            getattr(self, name)[chosen] = getattr(new, name)

    def keep(self, sentences: list[int]) -> None:
        """Keep only these sentences."""
        self.state.keep(sentences)
        self.limits = [self.limits[sentence] for sentence in sentences]
        chosen = self.state.index(sentences)
        for name in TENSORS:
            setattr(self, name, getattr(self, name)[chosen])


TENSORS = ("longest", "uniform", "last", "tokens", "scores", "done_tokens", "done_scores")
"""Tensors of `Beams` with one row per sentence."""


def gather_rows(tokens: Tensor, rows: Tensor) -> Tensor:
    """Return tokens[b, rows[b, i]]: [B, n, steps], [B, m] -> [B, m, steps]."""
    return tokens.gather(1, rows[:, :, None].expand(-1, -1, tokens.size(2)))
