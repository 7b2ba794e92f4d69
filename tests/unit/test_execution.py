"""Parts, workers, recomputation and prefetching change how an update is computed, never what."""

import json
import os
import subprocess
import sys
import threading
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from deepmt.base.files import write_text
from deepmt.data.batches import Batch, Indices, TrainingBatches
from deepmt.data.prefetch import prefetch
from deepmt.data.vocabulary import PAD
from deepmt.model.build import build
from deepmt.settings.method import Method
from deepmt.train.execution import SHAPES_KEPT, ExecutionConfig, recompute_layers
from deepmt.train.stop import StopRequested
from deepmt.train.update import Updater, out_of_memory
from deepmt.train.workers import Workers
from tiny import LINEAR, every_method, spec_of, tiny_spec
from tiny_runs import SCRIPTS, apart, events, last_weights, new_run, trained


@every_method
def test_recomputed_layers_have_the_same_gradients_dropout_and_all(method: Method) -> None:
    spec = spec_of(method, training__dropout=0.3)
    source, target = torch.randint(3, 20, (2, 4, 6))
    found = []
    for again in (False, True):
        torch.manual_seed(5)
        model = build(spec, 20, 20).train()
        if again:
            recompute_layers(model)
        torch.manual_seed(6)
        model(source, target).square().sum().backward()
        found.append([p.grad for p in model.parameters() if p.grad is not None])
    assert all(torch.equal(a, b) for a, b in zip(*found, strict=True))


def test_when_memory_is_short_the_parts_are_halved_and_the_log_says_so(
    tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = tiny_spec(**LINEAR)
    whole, short = (new_run(tmp_path / name, dataset, spec) for name in ("whole", "short"))
    trained(whole)
    compute = Updater._accumulate_gradient

    def fail_if_large(self: Updater, batch: object, number: int) -> object:
        loss = compute(self, batch, number)  # its gradients must not stay
        if self.micro_tokens > spec.training.batch_tokens // 3:
            raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: 1 bytes")
        return loss

    monkeypatch.setattr(Updater, "_accumulate_gradient", fail_if_large)
    assert trained(short)["micro_tokens"] < spec.training.batch_tokens
    assert [event["update"] for event in events(short, "halved")] == [1, 1]
    assert apart(short, whole) < 1e-5


def test_batches_are_made_and_counted_before_their_turn(
    tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, threads, tokens = TrainingBatches.batch, set(), []

    def noted(batches: TrainingBatches, rows: Indices) -> Batch:
        batch = make(batches, rows)
        threads.add(threading.current_thread().name)
        tokens.append(int((batch.target != PAD).sum()))
        return batch

    monkeypatch.setattr(TrainingBatches, "batch", noted)
    monkeypatch.delattr(Batch, "target_tokens")  # an update's tokens are known from lengths
    outcome = trained(new_run(tmp_path / "run", dataset, tiny_spec()))
    assert outcome["target_tokens"] == sum(tokens) > 0
    assert all(name.startswith("prefetch") for name in threads), threads


def test_any_other_runtime_error_is_none_of_memory() -> None:
    assert not out_of_memory(RuntimeError("shapes do not match"))
    assert out_of_memory(torch.OutOfMemoryError("CUDA out of memory"))


def test_prefetched_items_come_in_order_and_errors_in_their_turn() -> None:
    def items() -> object:
        yield from range(9)
        raise OSError("disk")

    seen = []
    with pytest.raises(OSError, match="disk"):
        seen.extend(prefetch(items()))
    reader = prefetch(iter(range(100)))
    assert [next(reader) for _ in range(3)] == [0, 1, 2]
    reader.close()
    assert not any(thread.name.startswith("prefetch") for thread in threading.enumerate())


@pytest.mark.slow
def test_a_process_that_leaves_early_ends_in_order() -> None:
    script = (
        "import torch\nfrom deepmt.data.prefetch import prefetch\n"
        "items = (torch.rand(2000, 300).sort(dim=1) for _ in range(1000))\n"
        "for _ in zip(range(3), prefetch(items)): pass\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], check=False, env=os.environ | {"PYTHONPATH": str(SCRIPTS)}
    )
    assert found.returncode == 0


def test_wide_models_take_bfloat16_where_the_hardware_has_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    narrow = tiny_spec()
    wide = replace(
        narrow,
        encoder=replace(narrow.encoder, d_model=256),
        decoder=replace(narrow.decoder, d_model=256),
    )
    exact = replace(wide, training=replace(wide.training, precision="float32"))
    for has, expected in ((True, torch.bfloat16), (False, torch.float32)):
        monkeypatch.setattr(
            "deepmt.train.execution.multiplies_bfloat16", lambda device, has=has: has
        )
        assert ExecutionConfig().dtype(wide) == expected
        assert ExecutionConfig().dtype(narrow) == torch.float32
        assert ExecutionConfig().dtype(exact) == torch.float32
    assert ExecutionConfig(precision="bfloat16").dtype(exact) == torch.bfloat16
    assert ExecutionConfig(precision="bfloat16").dtype(narrow) == torch.bfloat16


def test_a_run_goes_on_in_the_precision_it_began_in(tmp_path: Path, dataset: Path) -> None:
    where = new_run(tmp_path / "run", dataset, tiny_spec())
    trained(where, ExecutionConfig(precision="bfloat16"))
    before = last_weights(where)
    again = trained(where)  # would be float32
    assert not events(where, "anew")
    assert again["hardware"]["precision"] == "bfloat16"
    assert all(torch.equal(before[name], value) for name, value in last_weights(where).items())


def test_a_training_that_begins_anew_takes_nothing_from_the_discarded_state(
    tmp_path: Path, dataset: Path
) -> None:
    """Its precision is read only once the state is known to be of use."""
    where = new_run(tmp_path / "run", dataset, tiny_spec())
    trained(where, ExecutionConfig(precision="bfloat16"))
    write_text(where.spec, json.dumps(tiny_spec(training__clip=1e6).sections))
    assert trained(where)["hardware"]["precision"] == "float32"
    [anew] = events(where, "anew")
    assert anew["differs"] == ["spec"]


@pytest.mark.parametrize(("rank", "micro_tokens"), [(0, 60), (1, 20)])
def test_each_worker_resumes_with_the_micro_batches_that_it_had(
    tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch, rank: int, micro_tokens: int
) -> None:
    """Memory ran out on the second of two; dropout depends on the first row of a micro-batch."""

    class OneOfTwo(Workers):
        writes = True

        def gather(self, value: int) -> list[int]:
            return [60, 20]

        def all_reduce(self, tensors: object) -> None: ...
        def wait(self) -> None: ...

    monkeypatch.setattr("deepmt.train.run.workers", lambda _: nullcontext(OneOfTwo(rank, 2)))
    where = new_run(tmp_path / "run", dataset, tiny_spec())
    with pytest.raises(StopRequested):
        trained(where, signals=["SIGTERM"])
    assert trained(where)["micro_tokens"] == micro_tokens


@pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="torch has no oneDNN")
def test_a_trainer_keeps_the_products_of_few_shapes() -> None:
    code = f"""
import torch
from deepmt.train.execution import keep_memory
keep_memory()
for rows in 2 * [*range(1, {SHAPES_KEPT} + 2)]:
    x = torch.zeros(rows, 64)
    torch.ops.mkldnn._linear_pointwise(x, torch.zeros(64, 64), None, "none", [], "")
"""
    shown = {"ONEDNN_VERBOSE": "profile_create", "PYTHONPATH": str(SCRIPTS)}
    command = [sys.executable, "-c", code]
    lines = subprocess.check_output(command, env=os.environ | shown, text=True).splitlines()
    compiled = [line for line in lines if "create:cache_miss" in line and "inner_product" in line]
    assert len(compiled) == 2 * (SHAPES_KEPT + 1)  # each was dropped before its second use
