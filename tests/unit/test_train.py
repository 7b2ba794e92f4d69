"""A run ends the same however often it is interrupted, finished, diverged or stalled."""

import json
import math
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file

from deepmt.base.files import sha256
from deepmt.data.batches import TrainingBatches
from deepmt.data.dataset import Dataset
from deepmt.data.vocabulary import EOS
from deepmt.model.build import build
from deepmt.model.weight_file import kept_hash
from deepmt.model.weights import load_model_file
from deepmt.train.checkpoint import Checkpoints
from deepmt.train.divergence import BatchIndex, DivergenceDetector
from deepmt.train.ending import epochs, iso_time
from deepmt.train.evaluate import perplexity
from deepmt.train.milestones import choose_weights
from deepmt.train.run_paths import RunPaths
from deepmt.train.stop import StopRequested
from deepmt.train.training_state import Progress
from deepmt.train.unigram import unigram_counts
from tiny import tiny_spec
from tiny_runs import events, new_run, run_here, trained


def stop(where: RunPaths) -> None:
    """Train one update and save."""
    with pytest.raises(StopRequested):
        trained(where, signals=["SIGTERM"])


def made_by(
    patch: pytest.MonkeyPatch, code: str, commit: str = "c", machine: str = "m", memory: int = 1
) -> None:
    """What the next attempt finds itself to be."""
    patch.setattr("deepmt.train.run.training_code", lambda *_: code)
    patch.setattr("deepmt.train.run.commit", lambda _: commit)
    patch.setattr("deepmt.train.run.hardware", lambda _: {"name": machine})
    patch.setattr("deepmt.train.training_state.peak_memory_mb", lambda _: memory)


def hash_of_weights(where: RunPaths) -> str:
    return sha256(max((where.folder / "resume").glob("weights-*")))


def test_a_damaged_newest_checkpoint_is_passed_over(
    tmp_path: Path, dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = new_run(tmp_path / "run", dataset, tiny_spec())
    trained(where)
    expected = hash_of_weights(where)
    newest = max((where.folder / "resume").glob("state-*"))
    newest.write_bytes(newest.read_bytes()[:-7])
    trained(where)
    assert hash_of_weights(where) == expected
    assert not newest.exists()
    assert '"damaged"' in (where.folder / "log.jsonl").read_text()
    assert f"{newest} is damaged and deleted: an older state is" in capsys.readouterr().err


def test_a_run_that_stalled_is_trained_anew_by_other_code(
    tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = tiny_spec(training__lr=1e-9, training__divergence_patience=0.5)
    where = new_run(tmp_path / "run", dataset, spec)
    for code in ("old", "new"):
        made_by(monkeypatch, code)
        outcome = trained(where)
        assert outcome["outcome"] == "stalled"
        assert outcome["code"] == code
    assert events(where, "anew")[0]["differs"] == ["code"]
    assert not events(where, "resumed")
    assert outcome["attempts"] == 1


def test_an_outcome_names_all_that_its_training_was_made_by(
    tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = new_run(tmp_path / "run", dataset, tiny_spec())
    made_by(monkeypatch, "old", "a+", "small", memory=900)
    stop(where)
    made_by(monkeypatch, "new", "b", "large", memory=100)
    outcome = trained(where)
    assert (outcome["code"], outcome["commit"]) == ("old new", "a+ b")
    assert outcome["hardware"]["name"] == "large"
    assert outcome["hardware"]["earlier"] == [{"name": "small", "workers": 1}]
    assert outcome["peak_memory_mb"] == 900
    assert outcome["attempts"] == 2
    assert outcome["initial_weights"] == kept_hash(where.init)


def test_who_finds_training_finished_has_no_part_in_it(
    tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = new_run(tmp_path / "run", dataset, tiny_spec())
    for commit, machine, memory in (("a", "small", 100), ("b", "large", 900)):
        made_by(monkeypatch, "same", commit, machine, memory)
        outcome = trained(where)
    assert outcome["commit"] == "a"
    assert outcome["hardware"]["name"] == "small"
    assert "earlier" not in outcome["hardware"]
    assert outcome["peak_memory_mb"] == 100


WRONG = ["", "{", "[]", '{"evemt": "x"}', '{"event": []}', '{"event": "start"}', "\udcff",
    '{"event": "start", "time": 1e300}', '{"event": "start", "attempt": "x", "time": "y"}',
    '{"event": "anew", "attempt": 99}']  # fmt: skip


def test_whatever_the_log_says_the_end_of_a_training_is_that_of_its_state(
    tmp_path: Path, dataset: Path
) -> None:
    where = new_run(tmp_path / "run", dataset, tiny_spec())
    stop(where)
    started = trained(new_run(tmp_path / "other", dataset, tiny_spec()))["started"]
    (where.folder / "log.jsonl").write_text("\n".join(WRONG), errors="surrogateescape")
    found = trained(where)
    assert found["attempts"] == 2
    assert found["started"] <= started


def test_a_state_of_0_5_leaves_attempts_and_start_to_the_log(tmp_path: Path, dataset: Path) -> None:
    where = new_run(tmp_path / "run", dataset, tiny_spec())
    stop(where)
    [path] = where.files.states.glob("state-*")
    state = torch.load(path)
    del state["schema"], state["history"]["attempts"], state["history"]["started"]
    state["fingerprint"]["form"] = "flat"
    Checkpoints(where.files.states, 1, 1).save_state(1, state)
    path.unlink(missing_ok=True)
    times = [1.5e9, 1.6e9, 1.7e9]
    log = [{"event": "start", "time": time} for time in times]
    log.insert(2, {"event": "anew"})
    (where.folder / "log.jsonl").write_text("".join(f"{json.dumps(e)}\n" for e in log))
    found = trained(where)
    assert found["attempts"] == 3
    assert found["started"] == iso_time(1.6e9)
    assert events(where, "resumed")


def test_epochs_are_those_that_were_done(tmp_path: Path, dataset: Path) -> None:
    recipe = tiny_spec().training
    pair = Dataset(dataset).pair("train")
    batches = TrainingBatches(pair, recipe.batch_tokens, recipe.max_length, seed=1)
    count = len(batches.epoch(0))
    assert epochs(Progress(), batches) == 0
    assert epochs(Progress(epoch=0, batch=count), batches) == 1
    spec = tiny_spec(training__updates=count // 2, training__warmup=1)
    outcome = trained(new_run(tmp_path / "run", dataset, spec))
    assert 0 < outcome["epochs"] == pytest.approx(outcome["updates"] / count, abs=1e-4)


def average(where: RunPaths, output: Path, *flags: str) -> None:
    outcome = where.folder / "outcome.json"
    own = ["--spec", where.spec, "--outcome", outcome, "--output", output]
    run_here("jobs.average", *own, *flags)


def test_each_checkpoint_can_be_scored_alone(tmp_path: Path, dataset: Path) -> None:
    spec = tiny_spec(training__average_last=3, training__average="scores")
    where = new_run(tmp_path / "run", dataset, spec)
    trained(where)
    saved = sorted((where.folder / "resume").glob("weights-*"))
    model = where.folder / "model.safetensors"
    for flags, path in (([], saved[-1]), (["--checkpoint", "3"], saved[0])):
        average(where, model, *flags)
        assert load_file(model).keys() == load_file(path).keys()
        assert all((load_file(path)[k] == v).all() for k, v in load_file(model).items())


def test_the_averaged_model_is_the_mean_of_the_last_checkpoints(
    tmp_path: Path, dataset: Path
) -> None:
    where = new_run(tmp_path / "run", dataset, tiny_spec(training__average_last=3))
    assert trained(where)["averaged_updates"] == [12, 16, 20]
    model = where.folder / "model.safetensors"
    average(where, model)
    parts = [load_file(f) for f in (where.folder / "resume").glob("weights-*")]
    for name, mean in load_file(model).items():
        expected = sum(part[name].double() for part in parts) / 3
        assert (mean - expected).abs().max() < 1e-6


def test_the_better_of_last_and_mean_weights_on_dev_is_scored(
    tmp_path: Path, dataset: Path
) -> None:
    changes = {"training__average_last": 3, "training__average": "better", "training__lr": 1e-2}
    spec = tiny_spec(**changes)
    where = new_run(tmp_path / "run", dataset, spec)
    found = trained(where)
    assert found["dev_perplexities"]["last"] < found["dev_perplexities"]["mean"]
    assert found["averaged_updates"] == [20]
    saved = Checkpoints.of(where.folder, spec.training).weights(until=20)
    model = build(spec, *where.vocabularies(spec))
    choose = partial(choose_weights, spec.training, model, partial(where.pair, spec, "dev"))
    chosen = choose(saved)
    assert chosen.files == saved[-1:]
    assert chosen.on_dev == pytest.approx(found["dev_perplexities"])
    # Younger weights are better here, so the mean beats the first ones.
    chosen = choose(saved[::-1])
    assert chosen.files == saved[::-1]
    assert chosen.on_dev["mean"] < chosen.on_dev["last"]


def test_the_best_checkpoint_on_dev_is_scored_and_kept(tmp_path: Path, dataset: Path) -> None:
    """The rate rises until training goes wrong; each checkpoint has its mean and its own."""
    recipe = {"updates": 100, "warmup": 100, "lr": 2.0, "checkpoint_every": 10, "average": "best"}
    changes = {f"training__{key}": value for key, value in recipe.items()}
    spec = tiny_spec(**changes, training__divergence_patience=1000.0)
    where = new_run(tmp_path / "run", dataset, spec)
    found = trained(where)
    seen = {event["update"]: min(event["ppl"].values()) for event in events(where, "best")}
    assert [*seen.values()] == sorted(seen.values(), reverse=True)
    assert 10 < [*seen][-1] < 100
    assert min(found["dev_perplexities"].values()) == [*seen.values()][-1]
    assert found["averaged_updates"][-1] == [*seen][-1]
    output = where.folder / "model.safetensors"
    own = ["--spec", where.spec, "--outcome", where.output, "--output", output]
    run_here("jobs.average", *own)
    model = build(spec, *where.vocabularies(spec))
    load_model_file(model, output)
    assert perplexity(model, where.pair(spec, "dev"), 256) == pytest.approx([*seen.values()][-1])
    ours = Checkpoints.of(where.folder, spec.training)
    (ours.folder / found["averaged"][0]).unlink()
    assert trained(where)["averaged"] == found["averaged"]
    assert (ours.folder / found["averaged"][0]).exists()
    assert events(where, "anew")


def test_a_run_of_device_batches_goes_on_where_it_stopped(tmp_path: Path, dataset: Path) -> None:
    spec = tiny_spec(training__device_tokens=20)
    whole, stopped = (new_run(tmp_path / name, dataset, spec) for name in ("whole", "stopped"))
    trained(whole)
    stop(stopped)
    trained(stopped)
    assert hash_of_weights(stopped) == hash_of_weights(whole)
    other = new_run(tmp_path / "other", dataset, tiny_spec())
    trained(other)
    assert hash_of_weights(other) != hash_of_weights(whole)


def test_a_run_that_never_beats_unigrams_has_stalled_at_the_stated_share(
    tmp_path: Path, dataset: Path
) -> None:
    spec = tiny_spec(training__lr=1e-9, training__divergence_patience=0.5)
    where = new_run(tmp_path / "run", dataset, spec)
    outcome = trained(where)
    assert outcome["outcome"] == "stalled"
    assert outcome["failure"]["update"] == 10
    assert "still at the unigram entropy" in outcome["failure"]["reason"]
    [start], [end] = events(where, "start"), events(where, "end")
    assert (start["updates"], end["reason"]) == (20, outcome["failure"]["reason"])
    assert outcome["averaged_updates"][-1] == 9
    again = trained(where)
    assert (again["failure"], again["train_loss"]) == (outcome["failure"], outcome["train_loss"])


def test_a_run_that_blows_up_is_recorded_with_its_update(tmp_path: Path, dataset: Path) -> None:
    spec = tiny_spec(training__lr=1000, training__warmup=1)
    outcome = trained(new_run(tmp_path / "run", dataset, spec))
    assert outcome["outcome"] == "diverged"
    assert outcome["failure"]["update"] == spec.training.updates
    assert "more than twice the unigram entropy" in outcome["failure"]["reason"]


@pytest.mark.parametrize(("loss", "norm"), [(float("nan"), 1.0), (1.0, float("inf"))])
def test_what_is_not_finite_ends_a_run_at_once(loss: float, norm: float) -> None:
    failure = DivergenceDetector(50, 5, 5.0).judge(1, loss, norm, BatchIndex(2, 3, (5, 8)))
    assert failure is not None
    assert (failure.outcome, failure.update) == ("diverged", 1)
    assert "batch 3 of epoch 2" in failure.reason
    assert failure.rows == (5, 8)


@pytest.mark.parametrize(
    ("lowest", "highest", "outcome"),
    [(0.0, 0.97, None), (0.99, 1.99, "stalled"), (2.01, 1e6, "diverged")],
)
@given(st.data(), st.floats(1.0, 12.0), st.integers(20, 200))
def test_a_late_loss_at_the_unigram_entropy_has_stalled_and_one_far_above_it_diverged(
    lowest: float, highest: float, outcome: str | None, data: Any, entropy: float, updates: int
) -> None:
    """Whatever the run had learned before; one whose loss is lower trains on."""
    loss = entropy * data.draw(st.floats(lowest, highest))
    learned = data.draw(st.integers(0, updates // 4))
    detector = DivergenceDetector(updates / 2, updates // 20, entropy)
    losses = [entropy / 2] * learned + [loss] * (updates - learned)
    ends = [detector.judge(n, loss, 1.0, BatchIndex(0, n)) for n, loss in enumerate(losses, 1)]
    first = next(((end.outcome, end.update) for end in ends if end), None)
    assert first == (outcome and (outcome, math.ceil(updates / 2)))


@pytest.mark.parametrize("block", [1, 7, 1 << 24])
def test_unigrams_are_those_of_all_targets_however_many_are_counted_at_once(
    dataset: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr("deepmt.train.unigram.BLOCK", block)
    pair = Dataset(dataset).pair("train")
    targets = [*pair.target.ids.tolist(), *[EOS] * len(pair)]
    counted = unigram_counts(pair, 30).tolist()
    assert counted == [targets.count(each) for each in range(30)]
