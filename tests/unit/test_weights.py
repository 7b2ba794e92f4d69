"""A model's state is every parameter and persistent buffer, from first weights to the average."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file
from torch import Tensor, nn

import average
import initialise
from deepmt.model.build import build
from deepmt.model.weights import load_weights, weights
from deepmt.train.execution import ExecutionConfig
from deepmt.train.run import train
from tiny import tiny_spec
from tiny_runs import new_run


class Scaled(nn.Module):
    """c * s * x: a constant of the method, and a trained scalar."""

    def __init__(self, constant: float) -> None:
        super().__init__()
        self.register_buffer("constant", torch.tensor(constant))
        self.register_buffer("passes", torch.tensor(0))
        self.register_buffer("table", torch.ones(3), persistent=False)
        self.scale = nn.Parameter(torch.tensor(1.0))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            self.passes += 1
        return self.constant * self.scale * x


def scaled(constant: float) -> nn.Module:
    model = build(tiny_spec(), 24, 24)
    model.decoder.final = Scaled(constant)
    return model


def test_buffers_scalars_and_tied_weights_survive_once_each() -> None:
    saved, model = weights(scaled(0.3)), scaled(1.0)
    load_weights(model, saved)
    assert model.decoder.final.constant == torch.tensor(0.3)
    names = [name for name in saved if name.startswith("decoder.final")]
    assert [name.rsplit(".")[-1] for name in names] == ["scale", "constant", "passes"]
    assert "target.table.weight" in saved
    assert "output.weight" not in saved


@pytest.mark.parametrize("lost", ["decoder.final.constant", "decoder.final.scale"])
def test_a_state_without_a_tensor_of_the_model_is_refused(lost: str) -> None:
    saved = weights(scaled(0.3))
    del saved[lost]
    with pytest.raises(ValueError, match=f"{lost} on one side only"):
        load_weights(scaled(1.0), saved)


def test_a_state_of_another_shape_is_refused() -> None:
    saved = weights(scaled(0.3))
    saved["decoder.final.constant"] = torch.ones(2)
    with pytest.raises(ValueError, match=r"constant is \(2,\), the model has \(\)"):
        load_weights(scaled(1.0), saved)


def test_a_constant_and_a_scalar_reach_the_averaged_model(
    tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = tiny_spec(training__average_last=3)
    where = new_run(tmp_path / "run", dataset, spec)
    monkeypatch.setattr(initialise, "build", lambda *_: scaled(0.3))
    monkeypatch.setattr("deepmt.train.run.build", lambda *_: scaled(1.0))
    files = {"spec": where.spec, "dataset": dataset, "profile": tmp_path / "profile.json"}
    initialise.main(initialise.Args(**files, seed=1, output=where.init))
    outcome, output = where.folder / "outcome.json", where.folder / "model.safetensors"
    train(where, seed=1, output=outcome, execution=ExecutionConfig())
    average.main(average.Args(spec=where.spec, outcome=outcome, output=output))
    last, mean = (
        {name.rsplit(".")[-1]: value for name, value in load_file(path).items() if "final" in name}
        for path in (max((where.folder / "resume").glob("weights-*")), output)
    )
    assert last["constant"] == mean["constant"] == np.float32(0.3)
    assert last["passes"] == mean["passes"] == 20
    assert mean["scale"].shape == ()
    assert mean["scale"] not in (1.0, last["scale"])


def saved(folder: Path, **arrays: np.ndarray) -> Path:
    path = folder / f"{len(list(folder.iterdir()))}.safetensors"
    save_file(arrays, path)
    return path


def test_an_average_is_taken_of_floats_alone(tmp_path: Path) -> None:
    paths = [
        saved(tmp_path, w=np.full(2, n, "f4"), s=np.array(n, "f4"), mask=np.array(n > 2), n=n)
        for n in map(np.array, (1, 2, 6))
    ]
    found = average.mean(paths)
    assert {name: (value.dtype.name, value.tolist()) for name, value in found.items()} == {
        "w": ("float32", [3.0, 3.0]),
        "s": ("float32", 3.0),
        "mask": ("bool", True),
        "n": ("int64", 6),
    }


@pytest.mark.parametrize("other", [{"w": np.ones((1, 2))}, {"v": np.ones(2)}, {}])
def test_an_average_of_different_tensors_is_refused(
    tmp_path: Path, other: dict[str, np.ndarray]
) -> None:
    paths = [saved(tmp_path, w=np.ones(2)), saved(tmp_path, **other)]
    with pytest.raises(ValueError, match="hold different tensors"):
        average.mean(paths)
