"""The benchmark's frame: same work for everybody, honest figures, workers that fail loudly."""

import io
import os
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from rich.console import Console
from torch import nn

from bench.adapters.torch_system import insist_on
from bench.comparison import WORKS, main, measure, start, tasks_of, variables
from bench.summary import summarise, table
from bench.update_profile import GROUPS, REST, profiled
from bench.worker import System, Task, Worker, WorkerFailed
from bench.workload import (
    EOS,
    FEWEST_WORDS,
    LONGEST,
    MAX_TOKENS,
    MOST_WORDS,
    PAD,
    SENTENCES,
    SHORTEST,
    SIZES,
    STEPS,
    Size,
    draw_sentences,
    draw_training,
)
from deepmt.base.cli import parse

TINY = Size(
    name="tiny",
    encoder_layers=2,
    decoder_layers=3,
    d_model=16,
    feed_forward=16,
    heads=2,
    vocabulary=20,
)
BATCHES = draw_training(TINY, 4)
[TO_DECODE] = draw_sentences(TINY, 1)
SERVE = """
import sys
from bench.worker import System, Task, each, serve

def build(task):
    print("toolkits like to talk")
    {build}
    size = task.size.d_model
    return System(name="fake", version="1", parameters=size, run=each(lambda b: {result}))

task = Task.read(sys.argv[1])
serve(lambda: build(task), task)
"""


def worker(
    folder: Path, *, work: str = "train", result: str = "1.0", build: str = "pass"
) -> Worker:
    """Start a worker that does `build` first and returns `result` for every batch `b`."""
    code = SERVE.format(build=build, result=result)
    command = [sys.executable, "-c", code, Task(work, TINY).write()]
    return Worker(command, variables(1), folder / "log")


def test_training_batches_are_full_and_hold_little_padding() -> None:
    batches = draw_training(SIZES["base"], 12)
    assert all(0.9 * MAX_TOKENS < b.target_tokens <= b.target.size <= MAX_TOKENS for b in batches)
    padding = sum((batch.target == PAD).sum() for batch in batches)
    assert 0 < padding < 0.05 * sum(batch.target.size for batch in batches)
    again = draw_training(SIZES["base"], 12)[2].source
    assert again.tolist() == batches[2].source.tolist()


def test_every_row_ends_once_and_is_padded_on_the_right() -> None:
    for batch in draw_training(SIZES["small"], 5):
        for rows, lengths in (
            (batch.source, batch.source_lengths),
            (batch.target, batch.target_lengths),
        ):
            assert SHORTEST <= lengths.min() <= lengths.max() <= LONGEST
            assert (rows[np.arange(len(rows)), lengths - 1] == EOS).all()
            assert ((rows == EOS).sum(1) == 1).all()
        assert (batch.decoder_input[:, 1:] == batch.target[:, :-1]).all()


def test_sentences_to_decode_have_the_stated_lengths() -> None:
    for batch in draw_sentences(TINY, 5):
        assert len(batch.source) == SENTENCES
        words = batch.source_lengths - 1
        assert FEWEST_WORDS <= words.min() <= words.max() <= MOST_WORDS
        assert (batch.source[np.arange(SENTENCES), words] == EOS).all()


def resident_mb(of: Worker) -> float:
    pages = Path(f"/proc/{of.process.pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20


def test_a_worker_is_sent_the_batches_themselves_and_frees_memory(tmp_path: Path) -> None:
    sums = {int(b.source.sum() - 7 * b.target.sum() + b.target.size) for b in BATCHES}
    told = f"1 / (int(b.source.sum() - 7 * b.target.sum() + b.target.size) in {sums})"
    # Blocks below glibc's threshold for its own mappings, all but the last of them freed.
    hoard = "build.kept = [bytearray(100_000) for _ in range(1000)][-1:]"
    found = worker(tmp_path, result=told, build=hoard)
    assert found.greeting == {"name": "fake", "version": "1", "parameters": TINY.d_model}
    before = resident_mb(found)
    assert all(found.run(batches) > 0 for batches in (BATCHES[:2], BATCHES[2:]))
    assert resident_mb(found) < before - 50
    found.close()
    assert found.process.returncode == 0


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"build": "raise OSError('no such toolkit')"}, "no such toolkit"),
        ({"result": "float('nan')"}, "loss is nan"),
        ({"work": "decode", "result": "[[4]] * 32"}, f"expected {STEPS} tokens"),
    ],
)
def test_a_worker_that_fails_says_why(tmp_path: Path, fault: dict[str, str], message: str) -> None:
    batch = TO_DECODE if "work" in fault else BATCHES[0]
    with pytest.raises(WorkerFailed, match=message):
        worker(tmp_path, **fault).run([batch])


def test_a_failing_system_leaves_the_others_measured(tmp_path: Path) -> None:
    workers = {
        name: worker(tmp_path / name, result=result)
        for name, result in (("good", "1.0"), ("bad", "1 / 0"))
    }
    failed: dict[str, str] = {}
    speeds = measure(workers, BATCHES, 2, failed)
    workers["good"].close()
    assert speeds.keys() == {"good"}
    assert len(speeds["good"]) == 2
    assert "ZeroDivisionError" in failed["bad"]


def test_a_layer_in_another_precision_than_asked_for_is_refused() -> None:
    model = nn.Linear(8, 8)
    insist_on(model, "float32")
    with (
        torch.autocast("cpu", torch.bfloat16),
        pytest.raises(ValueError, match=r"computes in torch.bfloat16, not in float32"),
    ):
        model(torch.ones(1, 8))
    model(torch.ones(1, 8))
    assert not model._forward_hooks, "asked once"


@pytest.mark.parametrize(
    "last",
    [[4] * (STEPS - 1), [4] * (STEPS + 1), [EOS] + [4] * (STEPS - 1), [4] * (STEPS - 1) + [PAD]],
    ids=["short", "long", "ended early", "padded"],
)
def test_a_translation_of_another_length_is_refused(last: list[int]) -> None:
    right = [[4] * (STEPS - 1) + [EOS]] * SENTENCES
    TO_DECODE.check(right)
    with pytest.raises(ValueError, match=f"sentence {SENTENCES - 1}: expected {STEPS} tokens"):
        TO_DECODE.check([*right[:-1], last])
    with pytest.raises(ValueError, match=f"31 translations of {SENTENCES} sentences"):
        TO_DECODE.check(right[:-1])


def printed(summary: dict[str, Any]) -> str:
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(table("Training", summary))
    return console.export_text()


def test_a_system_is_compared_round_by_round_with_the_fastest_peer_of_its_precision() -> None:
    speeds = {"ours float32": [20, 60, 90], "ours int8": [45] * 3, "a float32": [8] * 3}
    speeds |= {"b float32": [10, 20, 30], "a int8": [15] * 3, "limit float32": [40, 75, 100]}
    about = {
        name: {"name": name, "version": "2", "parameters": 5, "dtype": name.split()[1]}
        for name in speeds
    }
    summary = summarise(speeds, about, ["a float32", "b float32", "a int8"], "ours", "limit")
    assert summary["fastest_peers"] == {"int8": "a int8", "float32": "b float32"}
    systems = summary["systems"]
    ratio = systems["ours float32"]["ratio_to_fastest_peer"]
    assert ratio == {"median": 3.0, "min": 2.0, "max": 3.0}
    assert systems["ours int8"]["ratio_to_fastest_peer"]["median"] == 45 / 15
    assert systems["ours float32"]["ratio_to_products"]["median"] == 60 / 75
    assert systems["ours int8"]["ratio_to_products"] is None
    shown = printed(summary)
    assert "a int8 2" in shown
    assert "x products" in shown
    del speeds["limit float32"]
    assert "x products" not in printed(summarise(speeds, about, ["a int8"], "ours", "limit"))


def test_a_peer_that_is_not_installed_is_left_out_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(WorkerFailed, match="not installed: make bench PEERS=eole"):
        start("eole float32", "eole", Task("train", TINY), tmp_path)


def test_only_the_peers_and_precisions_that_were_chosen_take_part() -> None:
    training = WORKS["training"]
    assert list(tasks_of(training, TINY, peers=("eole",))) == [
        "ours float32", "ours bfloat16", "products float32", "products bfloat16", "eole float32",
    ]  # fmt: skip
    assert list(tasks_of(training, TINY, precisions=("bfloat16",))) == [
        "ours bfloat16", "products bfloat16", "huggingface bfloat16",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("cooking", "work: 'cooking' should match pattern '^(training|decoding)$'"),
        ("decoding --sizes base big", "--sizes: 'big' should match pattern '^(base|small|"),
        ("decoding --precisions float32,int8", "--precisions: 'float32,int8' should match"),
        ("decoding --peers marian", "--peers: 'marian' should match pattern '^(huggingface|"),
    ],
)
def test_a_benchmark_of_what_there_is_not_is_refused(
    given: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parse(main, given.split())
    assert message.casefold() in capsys.readouterr().err.casefold()


def built(adapter: str, work: str) -> System:
    """The system of an adapter, which is imported here: some take seconds."""
    task = Task(work, replace(TINY, vocabulary=12) if work == "train" else TINY)
    return getattr(import_module(f"bench.adapters.{adapter}"), work)(task)


@pytest.mark.parametrize("adapter", ["ours", "products", "huggingface"])
def test_an_adapter_trains_on_every_batch(adapter: str) -> None:
    system = built(adapter, "train")
    assert system.parameters > 0
    assert system.run(draw_training(replace(TINY, vocabulary=12), 2)) > 0


@pytest.mark.parametrize(
    ("adapter", "work"),
    [
        ("ours", "decode"),
        ("ours", "decode_merged"),
        ("products", "decode"),
        ("ctranslate2", "decode"),
        ("huggingface", "decode"),
    ],
)
def test_a_search_makes_exactly_the_tokens_asked_for(adapter: str, work: str) -> None:
    assert built(adapter, work).run([TO_DECODE]) > 0


@pytest.mark.parametrize("precision", ["float32", "bfloat16", "int8"])
def test_the_limit_is_every_product_of_a_search_with_weights(precision: str) -> None:
    products = import_module("bench.adapters.products")
    task = Task("decode", TINY, precision=precision)
    search = import_module("bench.adapters.ours").searching(task)
    with products.RecordedProducts() as recorded:
        search(TO_DECODE)
    encoder, decoder, output = 4 * TINY.encoder_layers, 6 * TINY.decoder_layers, 1
    keys_and_values_of_the_source = TINY.decoder_layers
    steps = (decoder + output) * STEPS
    assert len(recorded.calls) == encoder + keys_and_values_of_the_source + steps


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_the_limit_is_every_product_of_an_update_with_weights(precision: str) -> None:
    products, ours = (import_module(f"bench.adapters.{name}") for name in ("products", "ours"))
    system = ours.train(Task("train", TINY, precision=precision))
    with products.RecordedProducts() as recorded:
        system.run(BATCHES[:1])
    forward = 4 * TINY.encoder_layers + 7 * TINY.decoder_layers + 1
    assert len(recorded.calls) == 3 * forward


def test_captions_are_short() -> None:
    batches = draw_training(SIZES["toy"], 12)
    assert all(0.8 * 1080 < b.target_tokens <= b.target.size <= 1080 for b in batches)
    lengths = np.concatenate([batch.target_lengths for batch in batches])
    assert abs(lengths.mean() - 15) < 2


def test_processes_make_the_same_translations_in_the_same_order() -> None:
    ours, task = import_module("bench.adapters.ours"), Task("decode", TINY)
    parallel = ours.parallel_search(replace(task, threads=2))
    assert parallel(TO_DECODE) == ours.searching(task)(TO_DECODE)


def test_a_profile_names_most_of_the_time_of_an_update() -> None:
    spent = profiled(replace(TINY, d_model=64, feed_forward=256), 1)
    assert sum(spent.values()) > spent[REST] > 0
    assert all(spent[group] > 0 for group in GROUPS)
