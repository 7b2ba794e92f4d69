"""The benchmark's frame: same work for everybody, honest figures, workers that fail loudly."""

import os
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch
from bench_worker import TINY_SIZE, started
from torch import nn

from bench.adapters import huggingface, ours, plain_torch
from bench.adapters.torch_system import insist_on
from bench.comparison import ENVIRONMENTS, ROOT, Unavailable, interpreter
from bench.decoding import DECODING
from bench.machine import WIDTHS, matrix_rates
from bench.protocol import Task, Worker, WorkerFailed
from bench.rounds import Measurement, Rounds, batches_of_rounds, measure, rotated
from bench.summary import describe, fastest, ratio
from bench.training import TRAINING, Args
from bench.workload import (
    EOS,
    LONGEST,
    MAX_TOKENS,
    PAD,
    SHORTEST,
    SIZES,
    Batch,
    Workload,
    draw,
    forward_flops,
    padding,
)


@pytest.mark.parametrize(("size", "mflop"), [("base", 292.5), ("small", 40.1)])
def test_a_target_token_costs_what_the_peers_figures_assume(size: str, mflop: float) -> None:
    assert draw(SIZES[size], 12).flops_per_token / 1e6 == pytest.approx(mflop, rel=2e-3)


def test_the_flops_of_one_sentence_are_those_of_its_products_one_by_one() -> None:
    s, t, d, f, v = 5, 7, 8, 16, 20
    encoder = 4 * s * d * d + 2 * s * d * f + 2 * s * s * d
    decoder = 6 * t * d * d + 2 * s * d * d + 2 * t * d * f + 2 * t * t * d / 2 + 2 * t * s * d
    expected = 2 * (2 * encoder + 3 * decoder + t * d * v)
    assert forward_flops(TINY_SIZE, np.array([s]), np.array([t])) == expected


def test_no_batch_exceeds_the_budget_with_padding() -> None:
    assert all(batch.target.size <= MAX_TOKENS for batch in draw(SIZES["base"], 40).batches)


def test_batches_are_full_and_hold_little_padding() -> None:
    batches = draw(SIZES["base"], 12).batches
    assert all(batch.target_tokens > 0.9 * MAX_TOKENS for batch in batches)
    assert 0 < padding(batches) < 0.05


def test_every_row_ends_once_and_is_padded_on_the_right() -> None:
    for batch in draw(SIZES["small"], 5).batches:
        for rows, lengths in (
            (batch.source, batch.source_lengths),
            (batch.target, batch.target_lengths),
        ):
            assert SHORTEST <= lengths.min() <= lengths.max() <= LONGEST
            assert (rows[np.arange(len(rows)), lengths - 1] == EOS).all()
            assert ((rows == EOS).sum(1) == 1).all()


def test_the_decoder_reads_the_target_one_step_late() -> None:
    batch = draw(SIZES["small"], 1).batches[0]
    assert (batch.decoder_input[:, 1:] == batch.target[:, :-1]).all()
    assert not (batch.decoder_input[:, 0] == PAD).any()


def test_the_same_seed_gives_the_same_file(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        draw(SIZES["small"], 3, seed).save(tmp_path / f"{name}.npz")
    a, b, c = ((tmp_path / f"{name}.npz").read_bytes() for name in "abc")
    assert a == b
    assert a != c


def test_a_workload_survives_its_file(tmp_path: Path) -> None:
    drawn = draw(SIZES["small"], 3)
    drawn.save(tmp_path / "w.npz")
    read = Workload.load(tmp_path / "w.npz", Batch)
    assert read.size == drawn.size
    for mine, theirs in zip(drawn.batches, read.batches, strict=True):
        assert (mine.source == theirs.source).all()
        assert (mine.target == theirs.target).all()


def worker(folder: Path, *, build: str = "pass", loss: str = "1.0") -> Worker:
    return started(folder, draw(SIZES["small"], 4), work="train", build=build, result=loss)


def resident_mb(of: Worker) -> float:
    pages = Path(f"/proc/{of.process.pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20


def test_a_worker_greets_and_answers_each_request(tmp_path: Path) -> None:
    found = worker(tmp_path)
    assert found.greeting == {"name": "fake", "version": "1", "parameters": 256}
    batches = draw(SIZES["small"], 4).batches
    for steps in ([0, 1], [3]):
        answer = found.ask({"steps": steps})
        assert answer["tokens"] == sum(batches[i].target_tokens for i in steps)
        assert answer["flops"] == sum(batches[i].flops(SIZES["small"]) for i in steps)
        assert answer["seconds"] > 0
        assert answer["peak_memory_mb"] > 0
    found.close()
    assert found.process.returncode == 0


def test_the_memory_of_a_worker_is_not_that_of_the_process_that_found_it(tmp_path: Path) -> None:
    hoard = b"x" * 500_000_000
    found = worker(tmp_path)
    assert found.ask({"steps": [0]})["peak_memory_mb"] < len(hoard) / 2**20 / 2
    found.close()


def test_a_worker_that_rests_gives_its_free_memory_back(tmp_path: Path) -> None:
    # Blocks below glibc's threshold for its own mappings, all but the last of them freed.
    hoard = "keep = [bytearray(100_000) for _ in range(1000)]; keep = keep[-1:]"
    found = worker(tmp_path, build=hoard + "; build.keep = keep")
    before = resident_mb(found)
    assert found.ask({"rest": True}) == {}
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
        worker(tmp_path, **fault).ask({"steps": [0]})


def test_a_failing_system_leaves_the_others_measured(tmp_path: Path) -> None:
    (tmp_path / "good").mkdir()
    (tmp_path / "bad").mkdir()
    workers = {"good": worker(tmp_path / "good"), "bad": worker(tmp_path / "bad", loss="1 / 0")}
    workload = draw(SIZES["small"], 4)
    rates = {"float32": {"torch.matmul": 1.0}}
    found = measure(workers, workload, rounds=2, matrix_rates=lambda: rates)
    workers["good"].close()
    assert len(found.measurements["good"]) == 2
    assert found.measurements.keys() == {"good"}
    assert "ZeroDivisionError" in found.failed["bad"]


def test_a_layer_in_another_precision_than_asked_for_is_refused() -> None:
    model = nn.Linear(8, 8)
    insist_on(model, "float32")
    with (
        torch.autocast("cpu", torch.bfloat16),
        pytest.raises(ValueError, match=r"computes in torch.bfloat16, asked for was float32"),
    ):
        model(torch.ones(1, 8))


def test_a_layer_in_the_asked_precision_passes_and_is_not_asked_again() -> None:
    model = nn.Linear(8, 8)
    insist_on(model, "float32")
    model(torch.ones(1, 8))
    assert not model._forward_hooks


def test_rounds_use_each_batch_once_and_none_of_the_warm_up() -> None:
    assert batches_of_rounds(12, 5) == [[2, 3], [4, 5], [6, 7], [8, 9], [10, 11]]


def test_every_system_comes_first_once() -> None:
    names = ["a", "b", "c"]
    assert {rotated(names, by)[0] for by in range(3)} == set(names)


def rounds(*rates: float, gflops: float = 1.0) -> list[Measurement]:
    return [Measurement(rate, gflops, 1.0, 0.0, 0) for rate in rates]


def test_the_fastest_peer_is_neither_ours_nor_in_another_precision() -> None:
    found = {"ours": rounds(9), "a": rounds(5), "b": rounds(6), "b@int8": rounds(20)}
    assert fastest(found, ("a", "b", "c")) == "b"


def test_ratios_pair_the_rounds() -> None:
    found = {"ours": rounds(10, 40, 90), "a": rounds(10, 20, 30)}
    assert ratio(found, "ours", "a") == {"median": 2.0, "min": 1.0, "max": 3.0}


def test_the_share_is_of_the_fastest_library() -> None:
    found = Rounds({"ours": rounds(1, gflops=120.0)})
    found.see({"float32": {"torch.matmul": 100.0, "oneDNN": 200.0}})
    found.see({"float32": {"torch.matmul": 90.0, "oneDNN": 240.0}})
    figures = describe(found, "ours", "float32")
    assert figures["share_of_matrix_rate"] == 0.5
    assert figures["share_of_torch_matmul"] == 1.2


def test_rounds_that_stayed_disturbed_are_counted() -> None:
    found = Rounds({"a": [Measurement(1.0, 1.0, 1.0, share, 3) for share in (0.0, 0.04, 0.3)]})
    found.see({"float32": {"torch.matmul": 1.0}})
    assert describe(found, "a", "float32")["disturbed_rounds"] == 1


@pytest.mark.parametrize("name", ["float32", "int8"])
def test_every_type_of_numbers_has_a_matrix_rate(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(WIDTHS, "cpu", 64)
    rates = matrix_rates("cpu", [name])
    assert all(rate > 0 for rate in rates[name].values())


def test_a_peer_that_pip_refused_is_reported_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "eole").mkdir()
    (tmp_path / "eole" / "install.log").write_text("Collecting\nERROR: No matching distribution\n")
    with pytest.raises(Unavailable, match="No matching distribution"):
        interpreter("eole", tmp_path)


def test_a_precision_can_be_named_with_a_system() -> None:
    assert TRAINING.name_and_precision("ours@bfloat16", "float32") == ("ours", "bfloat16")
    assert TRAINING.name_and_precision("eole", "float32") == ("eole", "float32")


def test_an_unknown_system_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"fairsek: no such system; choose from ours, plain"):
        TRAINING.name_and_precision("fairsek", "float32")


def test_only_the_peers_that_were_chosen_take_part() -> None:
    chosen = TRAINING.chosen(Args(peers=("eole",)))
    assert chosen == ["ours", "ours@bfloat16", "plain_torch", "eole"]


def test_every_system_has_its_adapter_and_environment() -> None:
    """Without importing them: most are installed in an environment of their own."""
    for comparison in (TRAINING, DECODING):
        for system in comparison.systems.values():
            source = (ROOT / f"bench/adapters/{system.adapter}.py").read_text()
            assert f"\ndef {system.work}(" in source
            assert f"{system.work}={system.work}" in source
            assert not system.environment or system.environment in ENVIRONMENTS
    assert {path.stem for path in (ROOT / "envs/bench").glob("*.txt")} == set(ENVIRONMENTS)


@pytest.mark.parametrize("adapter", [ours, plain_torch, huggingface])
def test_an_adapter_trains_on_every_batch(adapter: ModuleType) -> None:
    size = replace(TINY_SIZE, d_model=16, vocabulary=12)
    task = Task("train", Path(), 1, "cpu", "float32")
    system = adapter.train(size, task)
    assert system.parameters > 0
    assert system.run(draw(size, 2).batches) > 0
