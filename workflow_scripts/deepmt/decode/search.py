"""Search over many sentences, replacing complete ones in the batch by waiting ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from deepmt.data.vocabulary import PAD
from deepmt.decode.beam import Beams, Candidates, Hypothesis, best_candidates, longest_output
from deepmt.decode.sampler import Sampler
from deepmt.settings.spec import Decoding

REFILL_DIVISOR = 4
"""Waiting sentences are encoded when 1/4 of the slots are free."""
BATCH_TOKENS = 32_768
"""Source tokens decoded at once if no number of sentences is set."""
SHORTEST = 16
"""Tokens that shorter sentences count as, since their logits take memory too."""
SearchResult = tuple[int, list[Hypothesis]]
"""Number of a sentence and its hypotheses, best first."""


def beam_search(model: nn.Module, source: Tensor, settings: Decoding) -> list[Hypothesis]:
    """Return the best hypothesis of each source sentence [B, S], searched in one batch."""
    lines = [row[row != PAD] for row in source.cpu()]
    found = dict(search(model, lines, settings, batch_size=len(lines)))
    return [found[number][0] for number in range(len(lines))]


@torch.inference_mode()
def search(
    model: nn.Module,
    sentences: Sequence[Tensor],
    settings: Decoding,
    *,
    batch_size: int,
    numbers: Sequence[int] | None = None,
    sampler: Sampler | None = None,
) -> Iterator[SearchResult]:
    """Yield the hypotheses of each sentence when it is complete.

    At most `batch_size` sentences are open at once; 0 = as many as have `BATCH_TOKENS` source
    tokens, with padding. Long ones should come first.
    """
    model.eval()
    if sentences:
        waiting = list(zip(numbers or range(len(sentences)), sentences, strict=True))
        yield from ContinuousSearch(model, waiting[::-1], settings, batch_size, sampler).run()


@dataclass(eq=False)
class ContinuousSearch:
    """Search in a batch whose free slots are refilled with waiting sentences."""

    model: nn.Module
    waiting: list[tuple[int, Tensor]]
    """Sentences to come, the next one last."""
    settings: Decoding
    batch_size: int
    sampler: Sampler | None

    def __post_init__(self) -> None:
        self.steps = max(longest_output(line, self.settings) for _, line in self.waiting)
        self.open: list[tuple[int, Tensor] | None]
        """The sentence in each slot, None for a free slot."""
        self.open, self.beams = self._begin(self._limit())

    def run(self) -> Iterator[SearchResult]:
        """Step until no sentence is open or waiting."""
        while any(self.open):
            self.beams.step(self._choose)
            yield from self._complete()
            self._refill()

    def _limit(self) -> int:
        """Return how many sentences may be open, given the next one."""
        longest = max(SHORTEST, len(self.waiting[-1][1]))
        return self.batch_size or max(1, BATCH_TOKENS // longest)

    def _begin(self, count: int) -> tuple[list[tuple[int, Tensor] | None], Beams]:
        """Encode the next waiting sentences."""
        chosen = [self.waiting.pop() for _ in range(min(count, len(self.waiting)))]
        beams = Beams(self.model, [line for _, line in chosen], self.settings, self.steps)
        if self.sampler:
            drawn = [self.sampler.uniform(number, self.steps) for number, _ in chosen]
            beams.uniform = torch.from_numpy(np.stack(drawn)).to(beams.scores.device)
        return list(chosen), beams

    def _choose(self, totals: Tensor) -> Candidates:
        if self.sampler is None:
            return best_candidates(totals)
        position = self.beams.state.position[:, None]
        return self.sampler.draw(totals, self.beams.uniform.gather(1, position))

    def _complete(self) -> Iterator[SearchResult]:
        """Yield the results of complete sentences and free their slots."""
        ended = [slot for slot in self.beams.complete() if self.open[slot] is not None]
        if ended:
            for slot, found in zip(ended, self.beams.hypotheses(ended), strict=True):
                sentence, self.open[slot] = self.open[slot], None
                assert sentence is not None
                yield sentence[0], found

    def _refill(self) -> None:
        """Fill free slots with waiting sentences, or remove them when none is waiting."""
        free = [slot for slot, sentence in enumerate(self.open) if sentence is None]
        if REFILL_DIVISOR * len(free) < len(self.open):
            return
        if self.waiting:
            more = self._limit() - len(self.open)
            if REFILL_DIVISOR * more >= len(self.open):  # shorter sentences: more of them
                self.beams.keep([*range(len(self.open)), *[0] * more])
                free += range(len(self.open), len(self.open) + more)
                self.open += [None] * more
            sentences, beams = self._begin(len(free))
            slots = free[: len(sentences)]
            self.beams.put(slots, beams)
            for slot, sentence in zip(slots, sentences, strict=True):
                self.open[slot] = sentence
            longest = max(len(sentence[1]) for sentence in self.open if sentence)
            self.beams.state.caches.narrow(longest)
        elif len(free) < len(self.open):
            busy = [slot for slot, sentence in enumerate(self.open) if sentence is not None]
            self.beams.keep(busy)
            self.open = [self.open[slot] for slot in busy]
