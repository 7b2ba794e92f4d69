"""Translate a text, long sentences first, and restore the original order."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from torch import Tensor, nn

from deepmt.config.spec import Decoding
from deepmt.data.batches import padded
from deepmt.data.encoded import EncodedText
from deepmt.decode.beam import Hypothesis
from deepmt.decode.parallel import search_in_parallel
from deepmt.decode.partial_translation import PartialTranslation
from deepmt.decode.precision import prepare
from deepmt.decode.sampler import Sampler
from deepmt.decode.search import SearchResult, search

SECONDS_BETWEEN_REPORTS = 10


@dataclass(frozen=True)
class TranslatedText:
    """Hold the hypotheses of each line, best first (none for an empty line), and the time taken."""

    hypotheses: list[list[Hypothesis]]
    seconds: float
    resumed: int
    """Lines finished by an earlier attempt, whose time is not counted."""


class Search(Protocol):
    """Search for the translations of sentences."""

    def __call__(
        self, sentences: Sequence[Tensor], *, numbers: Sequence[int]
    ) -> Iterator[SearchResult]:
        """Yield the hypotheses of each sentence when it is complete."""


def create_search(
    load: Callable[[], nn.Module],
    settings: Decoding,
    *,
    precision: str,
    batch_size: int,
    workers: int,
    threads: int,
    sampler: Sampler | None = None,
) -> Search:
    """Return a search with the model that `load` returns, in this process or in several.

    Memory depends on `batch_size`, not on the number of lines.
    """
    prepared = partial(load_prepared, load, precision)
    if workers > 1:
        return partial(
            search_in_parallel,
            prepared,
            settings=settings,
            batch_size=batch_size,
            sampler=sampler,
            workers=workers,
            threads=threads,
        )
    model = prepared()
    return partial(search, model, settings=settings, batch_size=batch_size, sampler=sampler)


def load_prepared(load: Callable[[], nn.Module], precision: str) -> nn.Module:
    """Load the model and convert it to the decoding precision."""
    return prepare(load(), precision)


def translate(
    search: Search,
    source: EncodedText,
    unfinished: PartialTranslation,
    *,
    max_length: int,
    report: Callable[[str], None] = lambda line: None,
) -> TranslatedText:
    """Translate all lines that are not empty, cut to `max_length` tokens."""
    lengths = np.diff(source.offsets)
    resumed = len(unfinished.done)
    order = [int(n) for n in np.argsort(-lengths, kind="stable")]
    todo = [n for n in order if lengths[n] and n not in unfinished.done]
    lines = [padded(source, np.array([number]), max_length)[0] for number in todo]
    began = reported = time.monotonic()
    for number, found in search(lines, numbers=todo):
        unfinished.add(number, found)
        if time.monotonic() - reported > SECONDS_BETWEEN_REPORTS:
            reported = time.monotonic()
            report(f"translated {len(unfinished.done)}/{int((lengths > 0).sum())}")
    seconds = time.monotonic() - began
    return TranslatedText(
        [unfinished.done.get(n, []) for n in range(len(lengths))], seconds, resumed
    )
