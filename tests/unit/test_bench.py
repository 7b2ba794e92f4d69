"""The benchmark's frame: same work for everybody, honest figures, workers that fail loudly."""

import io
import os
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch
from bench_worker import TINY_SIZE, started
from rich.console import Console
from torch import nn

from bench import decoding
from bench.adapters import huggingface, ours
from bench.adapters.torch_system import insist_on
from bench.comparison import (
    ENVIRONMENTS,
    ROOT,
    batches_of_rounds,
    interpreter,
    measure,
    rotated,
)
from bench.decoding import DECODING
from bench.summary import ratio, summarise, table
from bench.training import TRAINING, Args
from bench.worker import Task, Worker, WorkerFailed
from bench.workload import (
    EOS,
    LONGEST,
    MAX_TOKENS,
    PAD,
    SHORTEST,
    SIZES,
    draw_training,
)


def test_batches_are_full_and_hold_little_padding() -> None:
    batches = draw_training(SIZES["base"], 12)
    assert all(batch.target_tokens > 0.9 * MAX_TOKENS for batch in batches)
    assert all(batch.target.size <= MAX_TOKENS for batch in batches)
    padding = sum((batch.target == PAD).sum() for batch in batches)
    assert 0 < padding < 0.05 * sum(batch.target.size for batch in batches)


def test_every_row_ends_once_and_is_padded_on_the_right() -> None:
    for batch in draw_training(SIZES["small"], 5):
        for rows, lengths in (
            (batch.source, batch.source_lengths),
            (batch.target, batch.target_lengths),
        ):
            assert SHORTEST <= lengths.min() <= lengths.max() <= LONGEST
            assert (rows[np.arange(len(rows)), lengths - 1] == EOS).all()
            assert ((rows == EOS).sum(1) == 1).all()


def test_the_decoder_reads_the_target_one_step_late() -> None:
    batch = draw_training(SIZES["small"], 1)[0]
    assert (batch.decoder_input[:, 1:] == batch.target[:, :-1]).all()
    assert not (batch.decoder_input[:, 0] == PAD).any()


def test_the_same_seed_gives_the_same_batches() -> None:
    a, b, c = (draw_training(SIZES["small"], 3, seed)[2].source.tolist() for seed in (1, 1, 2))
    assert a == b
    assert a != c


def worker(folder: Path, *, build: str = "pass", loss: str = "1.0") -> Worker:
    return started(folder, work="train", build=build, result=loss)


BATCHES = draw_training(TINY_SIZE, 4)


def resident_mb(of: Worker) -> float:
    pages = Path(f"/proc/{of.process.pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20


def test_a_worker_greets_and_answers_each_request(tmp_path: Path) -> None:
    found = worker(tmp_path)
    assert found.greeting == {"name": "fake", "version": "1", "parameters": TINY_SIZE.d_model}
    assert all(found.run(batches) > 0 for batches in (BATCHES[:2], BATCHES[3:]))
    found.close()
    assert found.process.returncode == 0


def test_a_worker_is_sent_the_batches_themselves(tmp_path: Path) -> None:
    sums = {int(b.source.sum() - 7 * b.target.sum() + b.target.size) for b in BATCHES}
    told = "1 / (int(b.source.sum() - 7 * b.target.sum() + b.target.size) in {sums})"
    found = worker(tmp_path, loss=told.replace("{sums}", str(sums)))
    assert found.run(BATCHES) > 0
    found.close()


def test_a_worker_returns_its_free_memory_after_every_request(tmp_path: Path) -> None:
    # Blocks below glibc's threshold for its own mappings, all but the last of them freed.
    hoard = "keep = [bytearray(100_000) for _ in range(1000)]; keep = keep[-1:]"
    found = worker(tmp_path, build=hoard + "; build.keep = keep")
    before = resident_mb(found)
    found.run(BATCHES[:1])
    assert resident_mb(found) < before - 50
    found.close()


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"build": "raise OSError('no such toolkit')"}, "no such toolkit"),
        ({"loss": "float('nan')"}, "loss is nan"),
    ],
)
def test_a_worker_that_fails_says_why(tmp_path: Path, fault: dict[str, str], message: str) -> None:
    with pytest.raises(WorkerFailed, match=message):
        worker(tmp_path, **fault).run(BATCHES[:1])


def test_a_failing_system_leaves_the_others_measured(tmp_path: Path) -> None:
    (tmp_path / "good").mkdir()
    (tmp_path / "bad").mkdir()
    workers = {"good": worker(tmp_path / "good"), "bad": worker(tmp_path / "bad", loss="1 / 0")}
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


def test_a_layer_in_the_asked_precision_passes_and_is_not_asked_again() -> None:
    model = nn.Linear(8, 8)
    insist_on(model, "float32")
    model(torch.ones(1, 8))
    assert not model._forward_hooks


def test_rounds_use_each_batch_once() -> None:
    assert batches_of_rounds(range(2, 12), 5) == [range(i, i + 2) for i in range(2, 12, 2)]


def test_every_system_comes_first_once() -> None:
    names = ["a", "b", "c"]
    assert {rotated(names, by)[0] for by in range(3)} == set(names)


def test_ratios_pair_the_rounds() -> None:
    speeds = {"ours": [10, 40, 90], "a": [10, 20, 30]}
    assert ratio(speeds, "ours", "a") == {"median": 2.0, "min": 1.0, "max": 3.0}


def test_a_system_is_compared_with_the_fastest_peer_of_its_precision() -> None:
    speeds = {"ours float32": [20], "ours int8": [45], "a float32": [8], "b float32": [10]}
    speeds |= {"a int8": [15]}
    about = {
        name: {"name": name, "version": "2", "parameters": 5, "dtype": name.split()[1]}
        for name in speeds
    }
    summary = summarise(speeds, about, ["a float32", "b float32", "a int8"], "ours")
    assert summary["fastest_peers"] == {"int8": "a int8", "float32": "b float32"}
    systems = summary["systems"]
    assert systems["ours float32"]["ratio_to_fastest_peer"]["median"] == 20 / 10
    assert systems["ours int8"]["ratio_to_fastest_peer"]["median"] == 45 / 15
    assert systems["ours int8"]["ratio_to_ours"]["median"] == 45 / 20
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(table("Training", summary))
    assert "a int8 2" in console.export_text()


def test_a_peer_that_pip_refused_is_reported_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "eole").mkdir()
    (tmp_path / "eole" / "install.log").write_text("Collecting\nERROR: No matching distribution\n")
    with pytest.raises(WorkerFailed, match="No matching distribution"):
        interpreter("eole", tmp_path)


def test_a_system_names_its_adapter_and_its_function() -> None:
    adapter, task = DECODING.tasks(decoding.Args(), TINY_SIZE)["ours-matt int8"]
    assert (adapter, task.work, task.precision) == ("ours", "decode_matt", "int8")
    adapter, task = TRAINING.tasks(Args(), TINY_SIZE)["eole float32"]
    assert (adapter, task.work, task.precision) == ("eole", "train", "float32")
    assert Task.read(task.write()) == task


def test_an_unknown_system_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"fairsek: no such system; choose from ours, huggingface"):
        TRAINING.tasks(Args(systems=("fairsek",)), TINY_SIZE)


def test_only_the_peers_and_precisions_that_were_chosen_take_part() -> None:
    assert list(TRAINING.tasks(Args(peers=("eole",)), TINY_SIZE)) == [
        "ours float32", "ours bfloat16", "eole float32",
    ]  # fmt: skip
    assert list(TRAINING.tasks(Args(precisions=("bfloat16",)), TINY_SIZE)) == [
        "ours bfloat16", "huggingface bfloat16",
    ]  # fmt: skip


def test_every_system_has_its_adapter_and_environment() -> None:
    """Without importing them: most are installed in an environment of their own."""
    tasks = TRAINING.tasks(Args(), TINY_SIZE) | DECODING.tasks(decoding.Args(), TINY_SIZE)
    for adapter, task in tasks.values():
        assert f"\ndef {task.work}(" in (ROOT / f"bench/adapters/{adapter}.py").read_text()
    assert {path.stem for path in (ROOT / "envs/bench").glob("*.txt")} == set(ENVIRONMENTS)


@pytest.mark.parametrize("adapter", [ours, huggingface])
def test_an_adapter_trains_on_every_batch(adapter: ModuleType) -> None:
    size = replace(TINY_SIZE, d_model=16, vocabulary=12)
    system = adapter.train(Task("train", size))
    assert system.parameters > 0
    assert system.run(draw_training(size, 2)) > 0
