"""A training ends when dev has not improved for some epochs, and its last epochs are averaged."""

from itertools import pairwise
from pathlib import Path

import pytest

from deepmt.base.files import sha256
from deepmt.data.batches import TrainingBatches
from deepmt.model.build import build
from deepmt.model.weights import load_weights
from deepmt.train.evaluate import mean_loss
from deepmt.train.patience import Patience
from deepmt.train.run_paths import RunPaths
from deepmt.train.stop import StopRequested
from tiny import tiny_spec
from tiny_runs import events, last_weights, new_run, trained

IMPATIENT = {"training__patience": 2, "training__updates": 400, "training__lr": 0.03}


def updates_of_an_epoch(where: RunPaths) -> int:
    recipe, pair = tiny_spec(**IMPATIENT).training, where.pair(tiny_spec(), "train")
    return len(TrainingBatches.of(pair, recipe, seed=1).epoch(0))


@pytest.mark.parametrize(
    ("losses", "patience", "epochs"),
    [
        ((5, 4, 4, 3, 3, 3), 2, 6),
        ((5, 4, 4, 3, 3, 3), 1, 3),
        ((5, 4, 4, 3, 3, 3), 3, None),
        ((5, 6, 7, 8), 0, None),
    ],
)
def test_only_a_lower_loss_is_better(
    losses: tuple[float, ...], patience: int, epochs: int | None
) -> None:
    state, ended = Patience(), None
    for epoch, loss in enumerate(losses, start=1):
        state.note(loss)
        if state.over(patience) and ended is None:
            ended = epoch
    assert ended == epochs


def test_a_run_ends_so_many_epochs_after_its_best_one(tmp_path: Path, dataset: Path) -> None:
    """Its last epochs are averaged, whichever of them was best."""
    where = new_run(tmp_path / "run", dataset, tiny_spec(**IMPATIENT, training__average_last=3))
    outcome, epoch = trained(where), updates_of_an_epoch(where)
    losses = [event["dev_loss"] for event in events(where, "epoch")]
    assert outcome["outcome"] == "finished"
    assert losses[-3] == min(losses) < min(losses[-2:])
    assert len(losses) == outcome["epochs"] < 400 / epoch
    assert all(min(losses[: n + 1]) > min(losses[n + 1 : n + 3]) for n in range(len(losses) - 3))
    ends = [epoch * number for number in range(1, len(losses) + 1)]
    assert [event["update"] for event in events(where, "epoch")] == ends
    assert outcome["averaged_updates"] == ends[-3:]
    assert trained(where)["updates"] == outcome["updates"] == ends[-1]


def test_the_loss_of_an_epoch_is_smoothed_and_that_of_dev(tmp_path: Path, dataset: Path) -> None:
    spec = tiny_spec(**IMPATIENT)
    where = new_run(tmp_path / "run", dataset, spec)
    trained(where)
    model = build(spec, *where.vocabularies(spec))
    load_weights(model, last_weights(where))
    expected = mean_loss(model, where.pair(spec, "dev"), 256, epsilon=0.1)
    assert events(where, "epoch")[-1]["dev_loss"] == pytest.approx(expected)


def test_an_epoch_that_does_not_end_is_not_averaged(tmp_path: Path, dataset: Path) -> None:
    where = new_run(tmp_path / "run", dataset, tiny_spec())
    epoch = updates_of_an_epoch(where)
    changes = {"training__patience": 9, "training__updates": 2 * epoch + 1}
    spec = tiny_spec(**changes, training__divergence_patience=100.0)
    where = new_run(tmp_path / "run", dataset, spec)
    outcome = trained(where)
    assert outcome["updates"] == 2 * epoch + 1
    assert outcome["averaged_updates"] == [epoch, 2 * epoch]


def test_a_milestone_has_the_mean_of_the_epochs_before_it(tmp_path: Path, dataset: Path) -> None:
    changes = {"training__patience": 9, "training__milestones": [8, 12, 16]}
    where = new_run(tmp_path / "run", dataset, tiny_spec(**changes))
    assert updates_of_an_epoch(where) == 6
    found = {one["update"]: one["averaged_updates"] for one in trained(where)["milestones"]}
    assert found == {8: [6], 12: [6, 12], 16: [6, 12]}


def test_a_run_that_is_stopped_at_every_update_ends_the_same(tmp_path: Path, dataset: Path) -> None:
    spec = tiny_spec(**IMPATIENT)
    whole, stopped = (new_run(tmp_path / name, dataset, spec) for name in ("whole", "stopped"))
    expected = trained(whole)
    while not stopped.output.exists():
        try:
            trained(stopped, signals=["SIGTERM"])
        except StopRequested:
            continue
    found = trained(stopped)
    for key in ("updates", "epochs", "averaged", "train_loss"):
        assert found[key] == expected[key]
    folders = [where.folder / "resume" for where in (whole, stopped)]
    hashes = [sorted(map(sha256, folder.glob("weights-*"))) for folder in folders]
    assert hashes[0] == hashes[1]
    log = events(stopped, "epoch")
    assert all(a["epochs"] + 1 == b["epochs"] for a, b in pairwise(log))


def test_a_score_before_the_first_epoch_ends_is_refused(tmp_path: Path, dataset: Path) -> None:
    spec = tiny_spec(training__patience=1, training__updates=8, training__milestones=[4])
    where = new_run(tmp_path / "run", dataset, spec)
    with pytest.raises(ValueError, match="update 4 is to be scored"):
        trained(where)


def test_a_run_that_diverges_in_its_first_epoch_is_a_result(tmp_path: Path, dataset: Path) -> None:
    changes = {"training__lr": 1000, "training__warmup": 1, "training__divergence_patience": 0.5}
    spec = tiny_spec(training__patience=9, training__updates=6, **changes)
    where = new_run(tmp_path / "run", dataset, spec)
    outcome = trained(where)
    assert outcome["failure"]["update"] < updates_of_an_epoch(where)
    assert outcome["averaged_updates"] == [outcome["updates"]]
