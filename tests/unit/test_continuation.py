"""A run is scored at milestones as at an end, and more updates continue a finished run."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from deepmt.measured.attempts import events_of, merge_attempts
from deepmt.settings.spec import Spec
from deepmt.train.stop import StopRequested
from tiny import TINY, problems_of, tiny_spec
from tiny_runs import apart, events, new_run, run_here, trained

MILESTONES = [8, 16, 24, 40]


def budget(updates: int, **changes: Any) -> Spec:
    """A run that can be continued: every rule of it counts updates, none a share of them."""
    milestones = [update for update in MILESTONES if update <= updates]
    settings = {"updates": updates, "milestones": milestones, "divergence_patience": 30.0}
    settings |= {"average": "better", "average_last": 3, "checkpoint_every": 4} | changes
    return tiny_spec(**{f"training__{key}": value for key, value in settings.items()})


def milestones(outcome: dict[str, Any]) -> list[dict[str, Any]]:
    """What does not depend on the clock."""
    timed = ("train_seconds", "core_seconds")
    return [{k: v for k, v in one.items() if k not in timed} for one in outcome["milestones"]]


def stop_after(monkeypatch: pytest.MonkeyPatch, updates: int) -> list[str]:
    """A list of signals that is filled by the given update of the next attempt."""
    from deepmt.train.loop import Trainer

    signals, update, done = [], Trainer.update, []

    def counted(self: Trainer, *args: Any) -> Any:
        done.append(1)
        if len(done) == updates:
            signals.append("SIGTERM")
        return update(self, *args)

    monkeypatch.setattr(Trainer, "update", counted)
    return signals


@pytest.mark.parametrize("average", ["better", "best"])
def test_a_run_killed_resumed_and_continued_ends_as_the_long_run(
    average: str, tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = new_run(tmp_path / "whole" / "run", dataset, budget(48, average=average))
    expected = trained(whole)
    short = new_run(tmp_path / "parts" / "short", dataset, budget(24, average=average))
    with monkeypatch.context() as patch, pytest.raises(StopRequested):
        trained(short, signals=stop_after(patch, 13))
    assert [m["update"] for m in trained(short)["milestones"]] == [8, 16]
    long = new_run(tmp_path / "parts" / "long", dataset, budget(48, average=average))
    with monkeypatch.context() as patch, pytest.raises(StopRequested):
        trained(long, signals=stop_after(patch, 7))
    found = trained(long)
    assert apart(whole, long) == 0
    assert [m["update"] for m in found["milestones"]] == MILESTONES
    assert milestones(found) == milestones(expected)
    same = ("dev_perplexities", "averaged", "train_loss", "target_tokens", "epochs")
    assert {k: found[k] for k in same} == {k: expected[k] for k in same}
    assert [event["update"] for event in events(long, "resumed")] == [14, 24, 32]
    assert events(long, "start")[2]["continues"] == budget(24, average=average).run
    merged = merge_attempts(events_of((long.folder / "log.jsonl").read_bytes()))
    assert [e["update"] for e in merged if e["event"] == "checkpoint"] == [
        *range(4, 13, 4), 14, *range(16, 29, 4), 32, *range(32, 49, 4)
    ]  # fmt: skip
    assert found["attempts"] == 4
    # Every attempt goes on counting where the last one stopped.
    spent = [event["core_seconds"] for event in events(long, "checkpoint")]
    assert spent == sorted(spent)
    assert found["core_seconds"] == pytest.approx(spent[-1], abs=1e-3)
    assert found["milestones"][1]["core_seconds"] < found["core_seconds"]


def test_a_milestone_has_the_weights_of_a_run_that_ends_there(
    tmp_path: Path, dataset: Path
) -> None:
    """With the dev perplexities of its end, although the longer run trains on."""
    runs = {n: new_run(tmp_path / str(n) / "run", dataset, budget(n)) for n in (24, 32)}
    ends, goes_on = trained(runs[24]), trained(runs[32])
    models = [run.folder / "model.safetensors" for run in runs.values()]
    for run, model, flags in zip(runs.values(), models, ([], ["--milestone", 24]), strict=True):
        own = ["--spec", run.spec, "--outcome", run.output, "--output", model]
        run_here("jobs.average", *own, *flags)
    ours, theirs = map(load_file, models)
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    assert goes_on["milestones"][-1]["dev_perplexities"] == ends["dev_perplexities"]
    assert goes_on["milestones"][-1]["averaged_updates"] == ends["averaged_updates"]


OTHERS = {
    "another rate": {"updates": 24, "lr": 2e-2},
    "rules in shares": {"updates": 24, "divergence_patience": 1.0},
    "a milestone that was not scored": {"updates": 24, "milestones": [8]},
    "more updates": {"updates": 48},
}


def test_a_run_that_did_something_else_is_not_continued(tmp_path: Path, dataset: Path) -> None:
    for name, settings in OTHERS.items():
        trained(new_run(tmp_path / name, dataset, budget(**settings)))
    run = new_run(tmp_path / "run", dataset, budget(40))
    trained(run)
    alone = new_run(tmp_path / "alone" / "run", dataset, budget(40))
    trained(alone)
    assert apart(run, alone) == 0
    assert not events(run, "resumed")


def test_an_unfinished_run_is_not_continued(
    tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own trainer may still write there."""
    with monkeypatch.context() as patch, pytest.raises(StopRequested):
        trained(new_run(tmp_path / "short", dataset, budget(24)), signals=stop_after(patch, 9))
    run = new_run(tmp_path / "run", dataset, budget(40))
    trained(run)
    assert not events(run, "resumed")


@pytest.mark.parametrize("average", ["weights", "best"])
def test_an_end_between_checkpoints_takes_no_part_in_later_means(
    average: str, tmp_path: Path, dataset: Path
) -> None:
    ended = trained(new_run(tmp_path / "short", dataset, budget(22, average=average)))
    assert (ended["averaged_updates"][-1] == 22) == (average == "weights")
    run = new_run(tmp_path / "run", dataset, budget(24, average=average))
    assert trained(run)["averaged_updates"] in ([16, 20, 24], [24])
    assert events(run, "resumed")[-1]["update"] == 22


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"milestones": [10]}, "must be a multiple of checkpoint_every=4"),
        ({"milestones": [24]}, "at most updates=20"),
        ({"milestones": [8], "average": "scores"}, "need average=weights, better or best"),
        ({"milestones": [8, 8]}, "8 is given twice"),
        ({"divergence_patience": 2.5}, "a whole number of updates"),
    ],
)
def test_milestones_that_cannot_be_scored_are_refused(
    changes: dict[str, Any], problem: str
) -> None:
    found = problems_of(TINY | {f"training.{key}": value for key, value in changes.items()})
    assert problem in json.dumps(found)


def test_specs_without_milestones_keep_their_names() -> None:
    assert "milestones" not in tiny_spec().sections["training"]
    assert tiny_spec().sha256 == tiny_spec(training__milestones=[]).sha256
