"""Translate a text, long sentences first, and restore the original order."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from torch import nn

from deepmt.config.spec import Decoding
from deepmt.data.batches import padded
from deepmt.data.encoded import EncodedText
from deepmt.decode.beam import Hypothesis
from deepmt.decode.parallel import search_in_parallel
from deepmt.decode.partial_translation import PartialTranslation
from deepmt.decode.precision import prepare
from deepmt.decode.sampler import Sampler
from deepmt.decode.search import search

SECONDS_BETWEEN_REPORTS = 10


@dataclass(frozen=True)
class TranslatedText:
    """Hold the hypotheses of each line, best first (none for an empty line), and the time taken."""

    hypotheses: list[list[Hypothesis]]
    seconds: float
    resumed: int
    """Lines finished by an earlier attempt, whose time is not counted."""


def translate(
    load: Callable[[], nn.Module],
    settings: Decoding,
    source: EncodedText,
    unfinished: PartialTranslation,
    *,
    max_length: int,
    precision: str,
    batch_size: int,
    workers: int,
    threads: int,
    sampler: Sampler | None,
    report: Callable[[str], None],
) -> TranslatedText:
    """Translate all lines that are not empty, cut to `max_length` tokens.

    The model that `load` returns searches in this process, or in `workers` of them. Memory depends
    on `batch_size`, not on the number of lines.
    """
    lengths = np.diff(source.offsets)
    resumed = len(unfinished.done)
    order = [int(n) for n in np.argsort(-lengths, kind="stable")]
    todo = [n for n in order if lengths[n] and n not in unfinished.done]
    lines = [padded(source, np.array([number]), max_length)[0] for number in todo]
    prepared = partial(load_prepared, load, precision)
    options: Any = {"batch_size": batch_size, "sampler": sampler, "numbers": todo}
    if workers > 1:
        options |= {"workers": workers, "threads": threads}
        results = search_in_parallel(prepared, lines, settings, **options)
    else:
        results = search(prepared(), lines, settings, **options)
    began = reported = time.monotonic()
    for number, found in results:
        unfinished.add(number, found)
        if time.monotonic() - reported > SECONDS_BETWEEN_REPORTS:
            reported = time.monotonic()
            report(f"translated {len(unfinished.done)}/{int((lengths > 0).sum())}")
    seconds = time.monotonic() - began
    return TranslatedText(
        [unfinished.done.get(n, []) for n in range(len(lengths))], seconds, resumed
    )


def load_prepared(load: Callable[[], nn.Module], precision: str) -> nn.Module:
    """Load the model and convert it to the decoding precision."""
    return prepare(load(), precision)
