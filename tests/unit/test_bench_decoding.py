"""The decoding benchmark: the same sentences, exactly so many tokens, the products counted."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from bench_worker import TINY_SIZE, started

from bench.adapters import ctranslate2, huggingface, ours
from bench.decoding import DECODING, Args
from bench.protocol import System, Task, Worker, WorkerFailed, _own_seconds
from bench.sentences import (
    BEAM,
    FEWEST_WORDS,
    MOST_WORDS,
    SENTENCES,
    STEPS,
    Sentences,
    decoding_flops,
    draw,
)
from bench.workload import EOS, PAD, SIZES, Workload

TASK = Task("decode", Path(), 1, "cpu", "float32")


def test_the_flops_of_one_sentence_are_those_of_its_products_step_by_step() -> None:
    s, d, f, v = 25, TINY_SIZE.d_model, TINY_SIZE.feed_forward, TINY_SIZE.vocabulary
    encoder = 2 * (s * (4 * d * d + 2 * d * f) + 2 * s * s * d)
    keys_and_values = 3 * 2 * s * d * d
    steps = 0.0
    for t in range(1, STEPS + 1):
        layer = 6 * d * d + 2 * d * f + 2 * t * d + 2 * s * d
        steps += BEAM * (3 * layer + d * v)
    expected = 2 * (encoder + keys_and_values + steps)
    assert decoding_flops(TINY_SIZE, np.array([s])) == expected


def test_merged_attention_saves_three_projections_and_all_attention_to_the_prefix() -> None:
    d, hypotheses = TINY_SIZE.d_model, BEAM * TINY_SIZE.decoder_layers
    saved = hypotheses * (STEPS * 3 * d * d + 2 * d * STEPS * (STEPS + 1) / 2)
    lengths = np.array([25])
    merged = decoding_flops(TINY_SIZE, lengths, merged=True)
    assert decoding_flops(TINY_SIZE, lengths) - merged == 2 * saved


def test_every_batch_has_as_many_sentences_of_the_stated_lengths() -> None:
    for batch in draw(TINY_SIZE, 5).batches:
        assert len(batch.source) == SENTENCES
        words = batch.source_lengths - 1
        assert FEWEST_WORDS <= words.min() <= words.max() <= MOST_WORDS
        assert (batch.source[np.arange(SENTENCES), words] == EOS).all()


def test_sentences_survive_their_file(tmp_path: Path) -> None:
    drawn = draw(SIZES["small"], 3)
    drawn.save(tmp_path / "w.npz")
    read = Workload.load(tmp_path / "w.npz", Sentences)
    assert read.size == drawn.size
    for one, other in zip(drawn.batches, read.batches, strict=True):
        assert (one.source == other.source).all()


def test_only_the_best_hypotheses_are_counted() -> None:
    assert draw(TINY_SIZE, 1).batches[0].target_tokens == SENTENCES * STEPS


@pytest.mark.parametrize(
    "last",
    [[4] * (STEPS - 1), [4] * (STEPS + 1), [EOS] + [4] * (STEPS - 1), [4] * (STEPS - 1) + [PAD]],
    ids=["short", "long", "ended early", "padded"],
)
def test_a_translation_of_another_length_is_refused(last: list[int]) -> None:
    batch = draw(TINY_SIZE, 1).batches[0]
    right = [[4] * (STEPS - 1) + [EOS]] * SENTENCES
    batch.check(right)
    with pytest.raises(ValueError, match=f"sentence {SENTENCES - 1}: asked for were {STEPS}"):
        batch.check([*right[:-1], last])


def test_a_missing_translation_is_refused() -> None:
    with pytest.raises(ValueError, match=f"31 translations of {SENTENCES} sentences"):
        draw(TINY_SIZE, 1).batches[0].check([[4] * STEPS] * (SENTENCES - 1))


def worker(folder: Path, tokens: int) -> Worker:
    translations = f"[[4] * {tokens} for row in b.source]"
    return started(folder, draw(TINY_SIZE, 2), work="decode", result=translations)


def test_a_worker_answers_with_the_tokens_and_flops_of_its_sentences(tmp_path: Path) -> None:
    found = worker(tmp_path, STEPS)
    answer = found.ask({"steps": [1]})
    found.close()
    assert answer["tokens"] == SENTENCES * STEPS
    assert answer["flops"] == draw(TINY_SIZE, 2).batches[1].flops(TINY_SIZE)


def test_a_worker_that_makes_too_few_tokens_fails(tmp_path: Path) -> None:
    with pytest.raises(WorkerFailed, match=f"asked for were {STEPS} tokens"):
        worker(tmp_path, STEPS - 1).ask({"steps": [0]})


BUILDERS = [ours.decode, ours.decode_merged, ctranslate2.decode, huggingface.decode]


@pytest.mark.parametrize("build", BUILDERS)
def test_a_search_makes_exactly_the_tokens_asked_for(build: Callable[..., System]) -> None:
    system = build(TINY_SIZE, TASK)
    assert system.run(draw(TINY_SIZE, 1).batches) > 0


def test_processes_make_the_same_translations_in_the_same_order() -> None:
    batch = draw(TINY_SIZE, 1).batches[0]
    alone, _ = ours.translator(TINY_SIZE, TASK)
    processes = ours.Processes(TINY_SIZE, replace(TASK, threads=2))
    assert processes.translate(batch) == alone(torch.from_numpy(batch.source))
    assert _own_seconds() > sum(os.times()[:4])


def test_our_own_merged_attention_is_counted_as_such() -> None:
    batch = draw(TINY_SIZE, 1).batches[0]
    assert ours.decode_merged(TINY_SIZE, TASK).flops(TINY_SIZE, batch) < batch.flops(TINY_SIZE)


def test_all_systems_of_one_environment_can_be_left_out() -> None:
    chosen = DECODING.chosen(Args(peers=("sockeye",)))
    peers = [name for name in chosen if not name.startswith(("ours", "ctranslate2"))]
    assert peers == ["sockeye", "sockeye@int8"]
