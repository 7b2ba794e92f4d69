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

from bench import rounds as rounds_module
from bench.adapters import huggingface, ours
from bench.adapters.torch_system import insist_on
from bench.comparison import ENVIRONMENTS, ROOT, interpreter
from bench.decoding import DECODING
from bench.matrix_rate import flops_a_token
from bench.rounds import Load, Measurement, batches_of_rounds, measure, rotated
from bench.summary import fastest, ratio, summarise, table
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
    found = measure(workers, BATCHES, rounds=2, threads=1)
    workers["good"].close()
    assert len(found.measurements["good"]) == 2
    assert found.measurements.keys() == {"good"}
    assert "ZeroDivisionError" in found.failed["bad"]


def test_what_other_processes_take_disturbs_and_what_the_worker_takes_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = worker(tmp_path)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    clocks = {"busy_seconds": [10.0, 13.0], "cpu_seconds": [5.0, 7.0]}
    for name, values in clocks.items():
        monkeypatch.setattr(rounds_module, name, lambda *_, left=values: left.pop(0))
    monkeypatch.setattr("time.perf_counter", iter([0.0, 4.0]).__next__)
    assert Load(found.process.pid).disturbance(threads=1) == 0.25
    found.close()


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


SPEEDS = {"ours": 20, "ours@bfloat16": 45, "a": 8, "b": 10, "a@bfloat16": 15}


def rounds(*rates: float) -> list[Measurement]:
    return [Measurement(rate, 0.0, 0) for rate in rates]


def test_the_fastest_peer_is_neither_ours_nor_in_another_precision() -> None:
    found = {"ours": rounds(9), "a": rounds(5), "b": rounds(6), "b@int8": rounds(20)}
    assert fastest(found, ("a", "b", "c")) == "b"


def test_ratios_pair_the_rounds() -> None:
    found = {"ours": rounds(10, 40, 90), "a": rounds(10, 20, 30)}
    assert ratio(found, "ours", "a") == {"median": 2.0, "min": 1.0, "max": 3.0}


def test_a_system_is_compared_with_the_fastest_peer_and_the_matrix_rate_of_its_precision() -> None:
    found = {name: rounds(rate) for name, rate in SPEEDS.items()}
    about = {
        name: {"name": name, "version": "1", "dtype": name.partition("@")[2] or "float32"}
        for name in found
    }
    limits = {"float32": 40.0, "bfloat16": 100.0}
    summary = summarise(found, about, ["a", "b", "a@bfloat16"], limits)
    assert summary["fastest_peers"] == {"bfloat16": "a@bfloat16", "float32": "b"}
    systems = summary["systems"]
    assert systems["ours"]["ratio_to_fastest_peer"]["median"] == 20 / 10
    assert systems["ours@bfloat16"]["ratio_to_fastest_peer"]["median"] == 45 / 15
    assert systems["ours@bfloat16"]["share_of_matrix_rate"] == 0.45
    assert systems["b"]["share_of_matrix_rate"] == 0.25


def test_the_work_of_an_update_is_six_flops_for_each_weight_and_token_and_attention() -> None:
    size = SIZES["small"]
    batches = draw_training(size, 3)
    weights = 3 * (12 + 16) * size.d_model**2 + size.vocabulary * size.d_model
    assert flops_a_token(size, batches) == pytest.approx(6 * weights, rel=0.15)


def test_rounds_that_stayed_disturbed_are_counted_and_shown() -> None:
    found = {"a": [Measurement(1.0, share, 3) for share in (0.0, 0.04, 0.3)]}
    about = {"a": {"name": "A", "version": "2", "parameters": 5, "dtype": "float32"}}
    summary = summarise(found, about, ["a"], {})
    assert summary["systems"]["a"]["disturbed_rounds"] == 1
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(table("Training", summary))
    text = console.export_text()
    assert "A 2" in text
    assert "1/3" in text


def test_a_peer_that_pip_refused_is_reported_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "eole").mkdir()
    (tmp_path / "eole" / "install.log").write_text("Collecting\nERROR: No matching distribution\n")
    with pytest.raises(WorkerFailed, match="No matching distribution"):
        interpreter("eole", tmp_path)


def test_a_system_names_its_adapter_its_function_and_its_precision() -> None:
    options = Args()
    task = DECODING.task("ours-matt@int8", TINY_SIZE, options)
    assert (DECODING.adapter("ours-matt@int8"), task.work, task.precision) == (
        "ours", "decode_matt", "int8",
    )  # fmt: skip
    task = TRAINING.task("eole", TINY_SIZE, options)
    assert (task.work, task.precision) == ("train", "float32")
    assert Task.read(task.write()) == task


def test_an_unknown_system_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"fairsek: no such system; choose from ours, huggingface"):
        TRAINING.chosen(Args(systems=("fairsek",)))


def test_only_the_peers_that_were_chosen_take_part() -> None:
    chosen = TRAINING.chosen(Args(peers=("eole",)))
    assert chosen == ["ours", "ours@bfloat16", "eole"]


def test_every_system_has_its_adapter_and_environment() -> None:
    """Without importing them: most are installed in an environment of their own."""
    for comparison in (TRAINING, DECODING):
        for system in comparison.systems:
            work = comparison.task(system, TINY_SIZE, Args()).work
            source = (ROOT / f"bench/adapters/{comparison.adapter(system)}.py").read_text()
            assert f"\ndef {work}(" in source
    assert {path.stem for path in (ROOT / "envs/bench").glob("*.txt")} == set(ENVIRONMENTS)


@pytest.mark.parametrize("adapter", [ours, huggingface])
def test_an_adapter_trains_on_every_batch(adapter: ModuleType) -> None:
    size = replace(TINY_SIZE, d_model=16, vocabulary=12)
    system = adapter.train(Task("train", size))
    assert system.parameters > 0
    assert system.run(draw_training(size, 2)) > 0
