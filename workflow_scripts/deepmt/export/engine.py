"""Translate by CTranslate2 in place of our own search, where both compute the same."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ctranslate2
from torch import Tensor, nn

from deepmt.config.spec import Decoding, Spec
from deepmt.data.vocabulary import Vocabulary
from deepmt.decode.beam import longest_output
from deepmt.decode.search import SearchResult
from deepmt.decode.translate import Search
from deepmt.export.agreement import log_probability_apart
from deepmt.export.ctranslate2 import CTranslate2Model, save
from deepmt.export.standard import standard
from deepmt.export.supported import unsupported_search

NAME = f"CTranslate2 {ctranslate2.__version__}"
SENTENCES = 32
"""Sentences of a batch."""
COMPARED = 8
"""Sentences whose log P is compared: the longest ones, which take a second of a deep model."""


def search_by_ctranslate2(
    model: nn.Module, spec: Spec, vocabularies: Sequence[Vocabulary], workers: int
) -> Search:
    """Return the search of an exported model.

    Raises:
        ValueError: CTranslate2 lacks the model or the search.
    """
    if problems := unsupported_search(spec):
        raise ValueError("\n".join(problems))
    source, target = vocabularies
    with TemporaryDirectory() as folder:
        save(standard(model, spec), spec, source, target, Path(folder))
        exported = CTranslate2Model(Path(folder), source, target, workers)
    return partial(search, model, spec.decoding, exported)


def search(
    model: nn.Module,
    decoding: Decoding,
    exported: CTranslate2Model,
    sentences: Sequence[Tensor],
    numbers: Sequence[int],
) -> Iterator[SearchResult]:
    """Yield the hypotheses of each sentence, as our search does; long ones should come first.

    Sentences of the same maximum length share a call, since a call has one of them.

    Raises:
        ValueError: log P of the exported model differs from ours.
    """
    started: list[Any] = []
    for limit, group in groupby(sentences, partial(longest_output, settings=decoding)):
        own = {"max_decoding_length": limit, "max_batch_size": SENTENCES}
        started += exported.start(ids_of(group), decoding, **own)
    first = [exported.hypotheses(each)[0].tokens for each in started[:COMPARED]]
    log_probability_apart(model, exported, ids_of(sentences[:COMPARED]), first)
    for number, each in zip(numbers, started, strict=True):
        yield number, exported.hypotheses(each)


def ids_of(sentences: Iterable[Tensor]) -> list[list[int]]:
    """Return the ids of sentences without the end symbol, which CTranslate2 adds itself."""
    return [sentence[:-1].tolist() for sentence in sentences]
