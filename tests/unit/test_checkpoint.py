"""A state can be gone on from on other hardware than that which wrote it."""

from pathlib import Path

import pytest
import torch

from deepmt.train.checkpoint import Checkpoints
from deepmt.train.optimiser import optimiser
from deepmt.train.saved_state import read_state
from tiny import tiny_spec
from tiny_runs import new_run, trained


def test_a_state_that_a_gpu_wrote_is_read_without_one(
    tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = new_run(tmp_path / "run", dataset, tiny_spec())
    with monkeypatch.context() as gpu:
        gpu.setattr("torch.serialization.location_tag", lambda storage: "cuda:0")
        trained(where)
    newest, damaged = Checkpoints(where.files.states, 1, 1).newest_state()
    assert damaged == []
    assert newest is not None
    assert {value.device.type for value in read_state(newest).model.values()} == {"cpu"}


@pytest.mark.parametrize(("name", "counts_on"), [("adam", "meta"), ("radam", "cpu")])
def test_an_optimiser_takes_a_state_to_the_device_of_its_weights(name: str, counts_on: str) -> None:
    recipe = tiny_spec(training__optimizer=name).training
    here, there = (torch.nn.Parameter(torch.ones(8, device=device)) for device in ("cpu", "meta"))
    saved, loaded = optimiser([here], recipe), optimiser([there], recipe)
    here.grad = torch.ones(8)
    saved.step()
    loaded.load_state_dict(saved.state_dict())
    # RAdam counts its steps on the CPU, wherever its weights are; fused Adam beside them.
    assert {key: value.device.type for key, value in loaded.state[there].items()} == {
        "step": counts_on,
        "exp_avg": "meta",
        "exp_avg_sq": "meta",
    }


def test_a_mean_of_epochs_lacks_none_between(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, average_last=4, every=0)
    for update in (10, 20, 31, 41, 52):
        checkpoints.save_weights(update, {"w": torch.zeros(1)})
    assert checkpoints.averaged_updates(55) == [20, 31, 41, 52]
    [path] = tmp_path.glob("weights-*41-*")
    path.unlink()
    with pytest.raises(ValueError, match="weights of an epoch before update 55 are gone"):
        checkpoints.averaged_updates(55)
