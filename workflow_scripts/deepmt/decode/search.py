"""Search over many sentences, replacing complete ones in the batch by waiting ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from deepmt.config.spec import Decoding
from deepmt.data.vocabulary import PAD
from deepmt.decode.beam import Beams, Candidates, Hypothesis, best_candidates, longest_output
from deepmt.decode.sampler import Sampler

REFILL_DIVISOR = 4
"""Waiting sentences are encoded when 1/4 of the slots are free."""
SearchResult = tuple[int, list[Hypothesis]]
"""Number of a sentence and its hypotheses, best first."""


def beam_search(model: nn.Module, source: Tensor, settings: Decoding) -> list[Hypothesis]:
    """Return the best hypothesis of each source sentence [B, S], searched in one batch."""
    lines = [row[row != PAD] for row in source]
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

    At most `batch_size` sentences are open at once; long ones should come first.
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
        self.open, self.beams = self._begin(self.batch_size)

    def run(self) -> Iterator[SearchResult]:
        """Step until no sentence is open or waiting."""
        while any(self.open):
            self.beams.step(self._choose)
            yield from self._complete()
            self._refill()

    def _begin(self, count: int) -> tuple[list[tuple[int, Tensor] | None], Beams]:
        """Encode the next waiting sentences."""
        chosen = [self.waiting.pop() for _ in range(min(count, len(self.waiting)))]
        beams = Beams(self.model, [line for _, line in chosen], self.settings, self.steps)
        return list(chosen), beams

    def _choose(self, totals: Tensor) -> Candidates:
        if self.sampler is None:
            return best_candidates(totals)
        numbers = [sentence and sentence[0] for sentence in self.open]
        return self.sampler.draw(totals, numbers, self.beams.state.lengths)

    def _complete(self) -> Iterator[SearchResult]:
        """Yield the results of complete sentences and free their slots."""
        complete = self.beams.complete()
        for slot in complete:
            sentence = self.open[slot]
            if sentence is not None:
                yield sentence[0], self.beams.hypotheses(slot)
            self.open[slot] = None
        if complete:
            self.beams.state.clear(complete)

    def _refill(self) -> None:
        """Fill free slots with waiting sentences, or remove them when none is waiting."""
        free = [slot for slot, sentence in enumerate(self.open) if sentence is None]
        if REFILL_DIVISOR * len(free) < len(self.open):
            return
        if self.waiting:
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
