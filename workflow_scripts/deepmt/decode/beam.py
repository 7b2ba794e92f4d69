"""Beam search over many sentences: finished ones leave, waiting ones take their places.

S sentences are open at a time, each with `beam` hypotheses; no Python work is done per hypothesis.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from deepmt.config.spec import Decoding
from deepmt.data.vocabulary import EOS, PAD, UNK
from deepmt.model.state import State

Penalty = Callable[[Tensor], Tensor]
WORST = -1e9
BLOCK = 128
REFILL_SHARE = 4
"""Waiting sentences are encoded when one place in so many is free: few, but not one by one."""


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


@dataclass(frozen=True)
class Candidates:
    """What open hypotheses may become, C for each sentence, best first: [S, C] each."""

    scores: Tensor
    origin: Tensor
    """The row of its sentence that each one continues."""
    token: Tensor


def likeliest(totals: Tensor, numbers: Sequence[int | None], ages: Sequence[int]) -> Candidates:
    """The best 2 * beam of all beam * V continuations: log P [S, beam, V].

    Twice the beam, for up to `beam` of them may be the end symbol; a beam of one is greedy and ends
    with it.
    """
    beam, vocabulary = totals.shape[1:]
    scores, flat = largest(totals.flatten(1), 2 * beam if beam > 1 else 1)
    return Candidates(scores, flat // vocabulary, flat % vocabulary)


def largest(values: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The largest values of each row and where they stand, as topk, but several times as fast.

    They stand in the blocks with the largest maxima, and maxima are found quickly.
    """
    count = min(count, values.size(1))
    whole = values.size(1) // BLOCK * BLOCK
    if whole < BLOCK * count:
        return values.topk(count, dim=1)
    blocks = values[:, :whole].unflatten(1, (-1, BLOCK))
    chosen = blocks.amax(2).topk(count, dim=1).indices
    columns = (chosen[:, :, None] * BLOCK + torch.arange(BLOCK, device=values.device)).flatten(1)
    rest = torch.arange(whole, values.size(1), device=values.device).expand(len(values), -1)
    columns = torch.cat([columns, rest], 1)
    found, kept = values.gather(1, columns).topk(count, dim=1)
    return found, columns.gather(1, kept)


Choose = Callable[[Tensor, Sequence[int | None], Sequence[int]], Candidates]
"""From log P of all continuations, the numbers of the sentences and how far they are."""


@dataclass
class Beams:
    """The open and the finished hypotheses of S sentences; `steps` is the longest output."""

    longest: Tensor  # S
    tokens: Tensor  # S beam steps
    scores: Tensor  # S beam
    done_tokens: Tensor  # S beam steps
    done_scores: Tensor  # S beam

    @classmethod
    def begin(cls, longest: Tensor, beam: int, steps: int) -> "Beams":
        """No token yet: all hypotheses of a sentence are alike, so only one of them may go on."""
        shape = (len(longest), beam)
        worst = torch.full(shape, WORST, device=longest.device)
        empty = torch.full((*shape, steps), PAD, device=longest.device)
        scores = worst.clone()
        scores[:, 0] = 0
        return cls(longest, empty, scores, empty.clone(), worst)

    def put(self, slots: Tensor, fresh: "Beams") -> None:
        """Other sentences take these places."""
        for name in (field.name for field in fields(self)):
            getattr(self, name)[slots] = getattr(fresh, name)

    def keep(self, slots: Tensor) -> "Beams":
        """Only these sentences."""
        return Beams(*(getattr(self, field.name)[slots] for field in fields(self)))


def beam_search(model: nn.Module, source: Tensor, settings: Decoding) -> list[Hypothesis]:
    """The best hypothesis of each source sentence [B, S], all of them open at once."""
    lines = [row[row != PAD] for row in source]
    found: list[Hypothesis | None] = [None] * len(lines)
    for number, hypotheses in search(model, lines, settings, places=len(lines)):
        found[number] = hypotheses[0]
    return [best for best in found if best is not None]


@torch.inference_mode()
def search(
    model: nn.Module,
    sentences: Sequence[Tensor],
    settings: Decoding,
    *,
    places: int,
    numbers: Sequence[int] | None = None,
    choose: Choose = likeliest,
) -> Iterator[tuple[int, list[Hypothesis]]]:
    """Numbers of sentences and their hypotheses, best first, as they are finished.

    Of the best 2 * beam candidates of a sentence, those of the best `beam` that end enter the
    finished ones, and the best `beam` that do not end go on (fairseq; Zhang's code lets all that
    end enter). A sentence is done when its worst kept finished hypothesis is at least as good
    as its best open one can still become, or at its longest length (source length + max_extra, at
    most max_length). The end symbol is forbidden in the first min_length steps, padding and unknown
    always. At most `places` sentences are open at once; long ones should come first.
    """
    model.eval()
    waiting = list(zip(numbers or range(len(sentences)), sentences, strict=True))[::-1]
    if waiting:
        yield from Search(model, waiting, settings, places, choose).run()


class Search:
    """Sentences in their places, and those that wait for one, the next of them last."""

    def __init__(
        self,
        model: nn.Module,
        waiting: list[tuple[int, Tensor]],
        settings: Decoding,
        places: int,
        choose: Choose,
    ) -> None:
        self.model = model
        self.waiting = waiting
        self.settings = settings
        self.choose = choose
        self.penalty = length_penalty(settings.length_penalty, settings.alpha)
        self.device = next(model.parameters()).device
        self.steps = max(self._longest(line) for _, line in waiting)
        self.numbers, self.lengths, self.state, self.beams = self._next(places)
        """Of the sentence in each place: its number, None where it is free, and its length."""
        self.limits = self.beams.longest.tolist()

    def run(self) -> Iterator[tuple[int, list[Hypothesis]]]:
        """Step until no sentence is open and none waits."""
        while any(number is not None for number in self.numbers):
            self._step()
            yield from self._finished()
            self._refill()

    def _longest(self, line: Tensor) -> int:
        return min(len(line) + self.settings.max_extra, self.settings.max_length)

    def _next(self, count: int) -> tuple[list[int | None], list[int], State, Beams]:
        """Encode the next waiting sentences."""
        chosen = [self.waiting.pop() for _ in range(min(count, len(self.waiting)))]
        lines = [line for _, line in chosen]
        source = pad_sequence(lines, batch_first=True, padding_value=PAD).to(self.device)
        state = self.model.start(self.model.encode(source), self.settings.beam, self.steps)
        longest = torch.tensor([self._longest(line) for line in lines], device=self.device)
        beams = Beams.begin(longest, self.settings.beam, self.steps)
        return [number for number, _ in chosen], [len(line) for line in lines], state, beams

    def _refill(self) -> None:
        """Waiting sentences take free places; without any, the search shrinks."""
        free = [slot for slot, number in enumerate(self.numbers) if number is None]
        if REFILL_SHARE * len(free) < len(self.numbers):
            return
        if self.waiting:
            self._replace(free)
        elif len(free) < len(self.numbers):
            self._shrink([slot for slot, number in enumerate(self.numbers) if number is not None])

    def _replace(self, free: list[int]) -> None:
        numbers, lengths, state, beams = self._next(len(free))
        slots = free[: len(numbers)]
        self.state.put(slots, state)
        self.beams.put(torch.tensor(slots, device=self.device), beams)
        limits = beams.longest.tolist()
        for slot, number, length, limit in zip(slots, numbers, lengths, limits, strict=True):
            self.numbers[slot], self.lengths[slot], self.limits[slot] = number, length, limit
        busy = [
            n for n, number in zip(self.lengths, self.numbers, strict=True) if number is not None
        ]
        self.state.narrow(max(busy))

    def _shrink(self, busy: list[int]) -> None:
        self.state.keep(busy)
        self.beams = self.beams.keep(torch.tensor(busy, device=self.device))
        for name in ("numbers", "lengths", "limits"):
            setattr(self, name, [getattr(self, name)[slot] for slot in busy])

    def _step(self) -> None:
        """One more token for every open hypothesis."""
        beams, ages = self.beams, self.state.ages
        places, beam = beams.scores.shape
        length = torch.tensor(ages, device=self.device)[:, None] + 1
        last = self._last_tokens(ages)
        log_probs = self.model.step(last, self.state).float().log_softmax(-1)
        allowed = self._allowed(log_probs.view(places, beam, -1), ages)
        found = self.choose(beams.scores[:, :, None] + allowed, self.numbers, ages)
        ends = found.token == EOS
        self._finish(found, ends, length)
        self._continue(found, ends, ages)

    def _last_tokens(self, ages: list[int]) -> Tensor:
        """[N]: the end symbol where a sentence begins."""
        before = torch.tensor(ages, device=self.device) - 1
        index = before.clamp(min=0)[:, None, None].expand(-1, self.settings.beam, 1)
        last = self.beams.tokens.gather(2, index)[:, :, 0]
        return last.masked_fill((before < 0)[:, None], EOS).flatten()

    def _allowed(self, log_probs: Tensor, ages: list[int]) -> Tensor:
        """Forbid what may not come: [S, beam, V]."""
        log_probs[:, :, [PAD, UNK]] = WORST
        early = [slot for slot, age in enumerate(ages) if age < self.settings.min_length]
        if early:
            log_probs[early, :, EOS] = WORST
        at_limit = [slot for slot, age in enumerate(ages) if age + 1 >= self.limits[slot]]
        if at_limit:
            end = log_probs[at_limit, :, EOS]
            log_probs[at_limit] = WORST
            log_probs[at_limit, :, EOS] = end
        return log_probs

    def _finish(self, found: Candidates, ends: Tensor, length: Tensor) -> None:
        """Merge what has ended among the best `beam` candidates into the finished ones."""
        beams, beam, width = self.beams, self.settings.beam, max(self.state.ages) + 1
        scores = found.scores[:, :beam]
        real = ends[:, :beam] & (scores > WORST / 2)
        penalised = torch.where(real, scores / self.penalty(length.float()), WORST)
        merged = torch.cat([beams.done_scores, penalised], 1)
        beams.done_scores, kept = merged.topk(beam, dim=1)
        grown = take(beams.tokens[:, :, :width], found.origin[:, :beam])
        pool = torch.cat([beams.done_tokens[:, :, :width], grown], 1)
        beams.done_tokens[:, :, :width] = take(pool, kept)

    def _continue(self, found: Candidates, ends: Tensor, ages: list[int]) -> None:
        """The best `beam` open candidates go on: reorder everything that belongs to them."""
        beams, width = self.beams, max(ages) + 1
        beams.scores, kept = found.scores.masked_fill(ends, WORST).topk(self.settings.beam, dim=1)
        origin = found.origin.gather(1, kept)
        beams.tokens[:, :, :width] = take(beams.tokens[:, :, :width], origin)
        position = torch.tensor(ages, device=self.device)[:, None, None]
        token = found.token.gather(1, kept)[:, :, None]
        beams.tokens.scatter_(2, position.expand_as(token), token)
        self.state.advance(origin)

    def _finished(self) -> Iterator[tuple[int, list[Hypothesis]]]:
        """Sentences that can gain nothing more; their places are free."""
        beams = self.beams
        length = torch.tensor(self.state.ages, device=self.device)[:, None]
        best = beams.scores[:, :1]
        # log P only falls; with a positive exponent its penalised value is best at full length.
        bound = torch.maximum(
            best / self.penalty(length.float()), best / self.penalty(beams.longest[:, None].float())
        )
        settled = (beams.done_scores[:, -1:] >= bound) | (beams.longest[:, None] <= length)
        slots = settled[:, 0].nonzero().flatten().tolist()
        for slot in slots:
            number = self.numbers[slot]
            if number is not None:
                yield number, self._hypotheses(slot)
            self.numbers[slot] = None
        if slots:
            self.state.clear(slots)

    def _hypotheses(self, slot: int) -> list[Hypothesis]:
        found = []
        rows = self.beams.done_tokens[slot].tolist()
        for tokens, score in zip(rows, self.beams.done_scores[slot].tolist(), strict=True):
            if score > WORST / 2:
                end = tokens.index(PAD) if PAD in tokens else len(tokens)
                found.append(Hypothesis(tokens[:end], score))
        return found


def take(tokens: Tensor, rows: Tensor) -> Tensor:
    """tokens[b, rows[b, i]]: [B, n, steps], [B, m] -> [B, m, steps]."""
    return tokens.gather(1, rows[:, :, None].expand(-1, -1, tokens.size(2)))
