"""Translate a set: long sentences first, the original order restored."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from torch import Tensor, nn

from deepmt.data.batches import padded
from deepmt.data.encoded import EncodedText
from deepmt.search.beam import Choose, Hypothesis, likeliest, search
from deepmt.search.partial import Partial
from deepmt.spec import Decoding

SECONDS_BETWEEN_REPORTS = 10


@dataclass(frozen=True)
class Translation:
    """Hypotheses of each line, best first (none for an empty line), and what they cost."""

    hypotheses: list[list[Hypothesis]]
    seconds: float
    resumed: int
    """Lines that an earlier attempt had finished; their time is not counted."""


def translate(
    model: nn.Module,
    source: EncodedText,
    settings: Decoding,
    partial: Partial,
    *,
    max_length: int,
    places: int,
    choose: Choose = likeliest,
    report: Callable[[str], None] = lambda said: None,
) -> Translation:
    """Hypotheses of all lines that are not empty; lines are cut to `max_length` tokens.

    `places` sentences are open at once: memory depends on them, not on the number of lines.
    """
    lengths = np.diff(source.offsets)
    resumed = len(partial.done)
    order = [int(n) for n in np.argsort(-lengths, kind="stable")]
    todo = [n for n in order if lengths[n] and n not in partial.done]
    lines = [sentence(source, number, max_length) for number in todo]
    began = shown = time.monotonic()
    for number, found in search(model, lines, settings, places=places, numbers=todo, choose=choose):
        partial.add(number, found)
        if time.monotonic() - shown > SECONDS_BETWEEN_REPORTS:
            shown = time.monotonic()
            report(f"translated {len(partial.done)}/{int((lengths > 0).sum())}")
    seconds = time.monotonic() - began
    return Translation([partial.done.get(n, []) for n in range(len(lengths))], seconds, resumed)


def sentence(source: EncodedText, number: int, max_length: int) -> Tensor:
    """One line with its end symbol."""
    return padded(source, np.array([number]), max_length)[0]
