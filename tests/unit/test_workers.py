"""Several workers make the updates of one."""

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import torch
from torch import distributed
from torch.distributed.run import get_args_parser
from torch.multiprocessing import spawn

from deepmt.base.files import read_json, write_json
from deepmt.data.batches import TrainingBatches
from deepmt.data.dataset import Dataset
from deepmt.data.vocabulary import Vocabulary
from deepmt.model.build import build
from deepmt.train.evaluate import perplexity
from deepmt.train.execution import ExecutionConfig
from deepmt.train.measurements import LoggingIntervals
from deepmt.train.run_paths import RunPaths
from deepmt.train.workers import LONGEST_WAIT, Workers, launch, workers
from jobs.train import main
from tiny import tiny_spec
from tiny_runs import new_run, script


def start(where: RunPaths, workers: int) -> "subprocess.Popen[str]":
    flags = ["--spec", where.spec, "--dataset", where.dataset, "--init", where.init]
    flags += ["--seed", 1, "--output", where.folder / "outcome.json", "--workers", workers]
    return script("jobs.train", *flags)


@pytest.mark.slow
def test_workers_that_are_asked_to_stop_save_and_ask_to_be_run_again(
    tmp_path: Path, dataset: Path
) -> None:
    spec = tiny_spec(training__updates=100_000, training__checkpoint_every=10)
    where = new_run(tmp_path / "run", dataset, spec)
    process = start(where, 2)
    log = where.folder / "log.jsonl"
    while process.poll() is None and not (log.exists() and '"checkpoint"' in log.read_text()):
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 75, said
    assert "run again to resume" in said
    assert not (where.folder / "outcome.json").exists()


def share(rank: int, folder: Path, dataset: Path) -> None:
    """Be one of two workers: add up two tensors in place, and measure a part of dev."""
    meeting = f"file://{folder}/meeting"
    distributed.init_process_group("gloo", init_method=meeting, rank=rank, world_size=2)
    workers, tensors = Workers(rank, 2), [torch.full((n,), 1.0 + rank) for n in (3, 1000)]
    places = [tensor.data_ptr() for tensor in tensors]
    with patch("torch.cat", side_effect=AssertionError("a copy of the whole gradient")):
        workers.all_reduce(tensors)
    assert [tensor.data_ptr() for tensor in tensors] == places
    assert all((tensor == 3).all() for tensor in tensors)
    seen, batch = [], TrainingBatches.batch
    with patch.object(TrainingBatches, "batch", lambda *args: seen.append(1) or batch(*args)):
        found = measured(dataset, workers)
    write_json(folder / f"{rank}.json", {"ppl": found, "batches": len(seen)})
    distributed.destroy_process_group()


def measured(dataset: Path, workers: Workers) -> float:
    """The perplexity of an untrained model on the training split, in small batches."""
    torch.manual_seed(1)
    spec = tiny_spec()
    model = build(spec, *(len(Vocabulary.load(dataset / f"vocab.{x}")) for x in ("en", "de")))
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=0.2)
    pair = Dataset(dataset).pair("train")
    with patch("deepmt.model.reference_losses.BATCH_TOKENS", 40):
        return perplexity(model, pair, 100, workers)


@pytest.mark.slow
def test_two_workers_add_gradients_in_place_and_share_a_split(
    tmp_path: Path, dataset: Path
) -> None:
    spawn(share, (tmp_path, dataset), nprocs=2)
    found = [read_json(tmp_path / f"{rank}.json", hashed=False) for rank in range(2)]
    alone = measured(dataset, Workers())
    assert [each["ppl"] for each in found] == pytest.approx([alone] * 2, rel=1e-12)
    one, other = (each["batches"] for each in found)
    assert abs(one - other) <= 1 < other


def test_torchrun_leaves_workers_the_time_to_save_that_clusters_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    launched: list[list[str]] = []

    class Launched:
        def __init__(self, command: list[str], **_: object) -> None:
            launched.append(command)

        def wait(self) -> int:
            return 0

    monkeypatch.setattr("subprocess.Popen", Launched)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    launch(["train.py", "--seed", "1"], 2)
    _, module, *flags = launched[0][1:]
    understood = get_args_parser().parse_args(flags)
    assert module == "torch.distributed.run"
    assert 100 < understood.shutdown_timeout < 120
    assert understood.training_script_args == ["--seed", "1"]


def nowhere(folder: Path) -> RunPaths:
    """The paths of a run that is not to train."""
    files = dict.fromkeys(("spec", "dataset", "init"), folder / "nowhere")
    return RunPaths(**files, output=folder / "outcome.json")


@pytest.mark.parametrize(("new", "status"), [([], 1), (["start"], 1), (["start", "stopped"], 75)])
def test_only_this_launch_was_asked_to_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new: list[str], status: int
) -> None:
    log = tmp_path / "log.jsonl"

    def append(kinds: list[str]) -> None:
        with log.open("a") as file:
            events = ({"event": kind, "attempt": 1, "time": 0.0} for kind in kinds)
            file.writelines(json.dumps(event) + "\n" for event in events)

    def launched(*_: object) -> int:
        append(new)
        return 1

    append(["start", "stopped"])
    monkeypatch.setattr("jobs.train.launch", launched)
    paths, every = nowhere(tmp_path), LoggingIntervals()
    assert main(paths, ExecutionConfig(), every, seed=1, workers=2) == status


@pytest.mark.parametrize(
    ("chosen", "threads"),
    [
        ({}, [8]),
        ({"workers": 3}, [2]),
        ({"gpus": 1}, [1]),
        ({"execution": ExecutionConfig(device="cuda:0")}, [1]),
    ],
)
def test_a_worker_with_a_gpu_computes_with_one_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chosen: dict[str, Any], threads: list[int]
) -> None:
    found: list[int] = []
    monkeypatch.setattr("jobs.train.is_worker", lambda: True)
    monkeypatch.setattr("jobs.train.keep_memory", lambda: None)
    monkeypatch.setattr("jobs.train.train", lambda *_, **__: None)
    monkeypatch.setattr("torch.set_num_threads", found.append)
    chosen = {"execution": ExecutionConfig(), **chosen}
    main(nowhere(tmp_path), every=LoggingIntervals(), seed=1, threads=8, **chosen)
    assert found == threads


@pytest.mark.parametrize(
    ("device", "backend", "own"),
    [("cpu", "gloo", None), ("cuda", "nccl", torch.device("cuda", 1))],
)
def test_workers_wait_while_the_first_chooses_weights_and_each_names_its_gpu(
    device: str, backend: str, own: torch.device | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("LOCAL_RANK", "1")
    with (
        patch("torch.cuda.set_device") as chosen,
        patch.multiple(distributed, get_rank=lambda: 1, get_world_size=lambda: 2),
        patch.object(distributed, "destroy_process_group"),
        patch.object(distributed, "init_process_group", autospec=True) as begin,
        workers(device) as found,
    ):
        assert found == Workers(1, 2)
    begin.assert_called_once_with(backend, timeout=LONGEST_WAIT, device_id=own)
    assert [call.args for call in chosen.call_args_list] == [(own,)] * (device == "cuda")
