"""Translate a set: long sentences first, the original order restored."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from torch import Tensor, nn

from deepmt.config.spec import Decoding
from deepmt.data.batches import padded
from deepmt.data.encoded import EncodedText
from deepmt.decode.beam import Choose, Hypothesis, likeliest, search
from deepmt.decode.parallel import search_in_parallel
from deepmt.decode.partial import Partial
from deepmt.decode.precision import prepare

SECONDS_BETWEEN_REPORTS = 10


@dataclass(frozen=True)
class Translation:
    """Hypotheses of each line, best first (none for an empty line), and what they cost."""

    hypotheses: list[list[Hypothesis]]
    seconds: float
    resumed: int
    """Lines that an earlier attempt had finished; their time is not counted."""


Search = Callable[[Sequence[Tensor], Sequence[int]], Iterator[tuple[int, list[Hypothesis]]]]
"""From sentences and their numbers to numbers and hypotheses, as they are finished."""


def searching(
    load: Callable[[], nn.Module],
    settings: Decoding,
    *,
    precision: str,
    places: int,
    workers: int,
    threads: int,
    choose: Choose = likeliest,
) -> Search:
    """The search by the model that `load` gives, here or in several processes.

    `places` sentences are open at once: memory depends on them, not on the number of lines.
    """
    ready = partial(prepared, load, precision)
    if workers > 1:
        return lambda sentences, numbers: search_in_parallel(
            ready,
            sentences,
            settings,
            numbers=numbers,
            places=places,
            workers=workers,
            threads=threads,
            choose=choose,
        )
    model = ready()
    return lambda sentences, numbers: search(
        model, sentences, settings, numbers=numbers, places=places, choose=choose
    )


def prepared(load: Callable[[], nn.Module], precision: str) -> nn.Module:
    """A process's own copy of the model, ready to decode."""
    return prepare(load(), precision)


def translate(
    search: Search,
    source: EncodedText,
    unfinished: Partial,
    *,
    max_length: int,
    report: Callable[[str], None] = lambda said: None,
) -> Translation:
    """Hypotheses of all lines that are not empty; lines are cut to `max_length` tokens."""
    lengths = np.diff(source.offsets)
    resumed = len(unfinished.done)
    order = [int(n) for n in np.argsort(-lengths, kind="stable")]
    todo = [n for n in order if lengths[n] and n not in unfinished.done]
    lines = [sentence(source, number, max_length) for number in todo]
    began = shown = time.monotonic()
    for number, found in search(lines, todo):
        unfinished.add(number, found)
        if time.monotonic() - shown > SECONDS_BETWEEN_REPORTS:
            shown = time.monotonic()
            report(f"translated {len(unfinished.done)}/{int((lengths > 0).sum())}")
    seconds = time.monotonic() - began
    return Translation([unfinished.done.get(n, []) for n in range(len(lengths))], seconds, resumed)


def sentence(source: EncodedText, number: int, max_length: int) -> Tensor:
    """One line with its end symbol."""
    return padded(source, np.array([number]), max_length)[0]
