"""Search over many sentences: finished ones leave, waiting ones take their places."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from deepmt.config.spec import Decoding
from deepmt.data.vocabulary import PAD
from deepmt.decode.beam import Beams, Candidates, Hypothesis, best_candidates, longest_output
from deepmt.decode.sampler import Sampler

REFILL_SHARE = 4
"""Waiting sentences are encoded when this fraction of the places, 1/4, is free."""
Found = tuple[int, list[Hypothesis]]
"""The number of a sentence, and its hypotheses, best first."""


def beam_search(model: nn.Module, source: Tensor, settings: Decoding) -> list[Hypothesis]:
    """Return the best hypothesis of each source sentence [B, S], all of them open at once."""
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
) -> Iterator[Found]:
    """Yield the hypotheses of each sentence as it is finished.

    At most `batch_size` sentences are open at once; long ones should come first.
    """
    model.eval()
    if sentences:
        waiting = list(zip(numbers or range(len(sentences)), sentences, strict=True))
        yield from ContinuousSearch(model, waiting, settings, batch_size, sampler).run()


class ContinuousSearch:
    """Sentences that are open and sentences that wait."""

    def __init__(
        self,
        model: nn.Module,
        waiting: list[tuple[int, Tensor]],
        settings: Decoding,
        batch_size: int,
        sampler: Sampler | None,
    ) -> None:
        self.model = model
        self.settings = settings
        self.sampler = sampler
        self.waiting = waiting[::-1]
        """The next one last."""
        self.steps = max(longest_output(line, settings) for _, line in waiting)
        self.open: list[tuple[int, Tensor] | None] = []
        """The sentence in each place, none where it is finished."""
        self.open, self.beams = self._begin(batch_size)

    def run(self) -> Iterator[Found]:
        """Step until no sentence is open and none waits."""
        while any(self.open):
            self.beams.step(self._choose)
            yield from self._finished()
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
        return self.sampler.draw(totals, numbers, self.beams.state.ages)

    def _finished(self) -> Iterator[Found]:
        """Free the places of sentences that are settled."""
        settled = self.beams.settled()
        for place in settled:
            sentence = self.open[place]
            if sentence is not None:
                yield sentence[0], self.beams.hypotheses(place)
            self.open[place] = None
        if settled:
            self.beams.state.clear(settled)

    def _refill(self) -> None:
        """Fill free places with waiting sentences, or close them when none waits."""
        free = [place for place, sentence in enumerate(self.open) if sentence is None]
        if REFILL_SHARE * len(free) < len(self.open):
            return
        if self.waiting:
            sentences, beams = self._begin(len(free))
            places = free[: len(sentences)]
            self.beams.put(places, beams)
            for place, sentence in zip(places, sentences, strict=True):
                self.open[place] = sentence
            self.beams.state.narrow(max(len(sentence[1]) for sentence in self.open if sentence))
        elif len(free) < len(self.open):
            busy = [place for place, sentence in enumerate(self.open) if sentence is not None]
            self.beams.keep(busy)
            self.open = [self.open[place] for place in busy]
