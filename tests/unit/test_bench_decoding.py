"""The decoding benchmark: the same sentences, and outputs of exactly the forced length."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench_worker import TINY_SIZE, started

from bench.adapters import ctranslate2, huggingface, ours
from bench.worker import System, Task, Worker, WorkerFailed
from bench.workload import (
    EOS,
    FEWEST_WORDS,
    MOST_WORDS,
    PAD,
    SENTENCES,
    STEPS,
    draw_sentences,
)

TASK = Task("decode", TINY_SIZE)
[BATCH] = draw_sentences(TINY_SIZE, 1)


def test_every_batch_has_as_many_sentences_of_the_stated_lengths() -> None:
    for batch in draw_sentences(TINY_SIZE, 5):
        assert len(batch.source) == SENTENCES
        words = batch.source_lengths - 1
        assert FEWEST_WORDS <= words.min() <= words.max() <= MOST_WORDS
        assert (batch.source[np.arange(SENTENCES), words] == EOS).all()


@pytest.mark.parametrize(
    "last",
    [[4] * (STEPS - 1), [4] * (STEPS + 1), [EOS] + [4] * (STEPS - 1), [4] * (STEPS - 1) + [PAD]],
    ids=["short", "long", "ended early", "padded"],
)
def test_a_translation_of_another_length_is_refused(last: list[int]) -> None:
    right = [[4] * (STEPS - 1) + [EOS]] * SENTENCES
    BATCH.check(right)
    with pytest.raises(ValueError, match=f"sentence {SENTENCES - 1}: expected {STEPS} tokens"):
        BATCH.check([*right[:-1], last])


def test_a_missing_translation_is_refused() -> None:
    with pytest.raises(ValueError, match=f"31 translations of {SENTENCES} sentences"):
        BATCH.check([[4] * STEPS] * (SENTENCES - 1))


def worker(folder: Path, tokens: int) -> Worker:
    return started(folder, work="decode", result=f"[[4] * {tokens} for row in b.source]")


def test_a_worker_that_makes_too_few_tokens_fails(tmp_path: Path) -> None:
    with pytest.raises(WorkerFailed, match=f"expected {STEPS} tokens"):
        worker(tmp_path, STEPS - 1).run([BATCH])


BUILDERS = [ours.decode, ours.decode_matt, ctranslate2.decode, huggingface.decode]


@pytest.mark.parametrize("build", BUILDERS)
def test_a_search_makes_exactly_the_tokens_asked_for(build: Callable[..., System]) -> None:
    assert build(TASK).run([BATCH]) > 0


def test_processes_make_the_same_translations_in_the_same_order() -> None:
    parallel = ours.parallel_search(replace(TASK, threads=2))
    assert parallel(BATCH) == ours.searching(TASK)(BATCH)
