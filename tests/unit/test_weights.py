"""A model's state is every parameter and persistent buffer, from first weights to the average."""

from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save, save_file
from torch import Tensor, nn

from deepmt.base.errors import UserError
from deepmt.base.files import sha256
from deepmt.model.build import build
from deepmt.model.weight_file import kept_hash
from deepmt.model.weights import load_weights, read_weights, weights, write_weights
from jobs import average, initialise
from tiny import tiny_spec
from tiny_runs import new_run, trained


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
    initialise.main(spec=where.spec, dataset=dataset, seed=1, output=where.init)
    trained(where)
    outcome, output = where.folder / "outcome.json", where.folder / "model.safetensors"
    average.main(spec=where.spec, outcome=outcome, output=output)
    last, mean = (
        {name.rsplit(".")[-1]: value for name, value in load_file(path).items() if "final" in name}
        for path in (max((where.folder / "resume").glob("weights-*")), output)
    )
    assert last["constant"] == mean["constant"] == torch.tensor(0.3)
    assert last["passes"] == mean["passes"] == 20
    assert mean["scale"].shape == ()
    assert mean["scale"] not in (1.0, last["scale"])


def test_a_milestone_that_a_failed_run_did_not_reach_has_the_weights_of_its_end(
    tmp_path: Path, dataset: Path
) -> None:
    changes = {"training__lr": 1000, "training__warmup": 1, "training__divergence_patience": 0.5}
    where = new_run(tmp_path / "run", dataset, tiny_spec(training__milestones=[16], **changes))
    outcome = trained(where)
    assert outcome["updates"] < 16
    outputs = [where.folder / f"{name}.safetensors" for name in ("end", "update16")]
    for output, milestone in zip(outputs, (0, 16), strict=True):
        average.main(spec=where.spec, outcome=where.output, output=output, milestone=milestone)
    assert sha256(outputs[0]) == sha256(outputs[1])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"checkpoint": 4}, r"--checkpoint 4: .*spec.json keeps 3"),
        ({"milestone": 7}, r"--milestone 7: .*spec.json has \[16\]"),
    ],
)
def test_weights_that_no_run_of_the_spec_has_are_refused(
    tmp_path: Path, dataset: Path, asked: dict[str, int], said: str
) -> None:
    spec = tiny_spec(training__milestones=[16], training__average_last=3)
    where = new_run(tmp_path / "run", dataset, spec)
    with pytest.raises(UserError, match=said):
        average.main(spec=where.spec, outcome=where.output, output=tmp_path / "out", **asked)


def saved(folder: Path, **tensors: Tensor) -> Path:
    path = folder / f"{len(list(folder.iterdir()))}.safetensors"
    save_file(tensors, path)
    return path


def test_an_average_is_taken_of_floats_alone(tmp_path: Path) -> None:
    paths = [
        saved(tmp_path, w=n.float().repeat(2), s=n.float(), mask=n > 2, n=n)
        for n in map(torch.tensor, (1, 2, 6))
    ]
    found = average.mean(paths)
    assert {name: (str(value.dtype), value.tolist()) for name, value in found.items()} == {
        "w": ("float32", [3.0, 3.0]),
        "s": ("float32", 3.0),
        "mask": ("bool", True),
        "n": ("int64", 6),
    }


@pytest.mark.parametrize("other", [{"w": torch.ones(1, 2)}, {"v": torch.ones(2)}, {}])
def test_an_average_of_different_tensors_is_refused(
    tmp_path: Path, other: dict[str, Tensor]
) -> None:
    paths = [saved(tmp_path, w=torch.ones(2)), saved(tmp_path, **other)]
    with pytest.raises(ValueError, match="hold different tensors"):
        average.mean(paths)


TENSORS = {"w": torch.arange(6.0).view(2, 3), "n": torch.tensor(7)}
WHOLE = save(TENSORS)


def written(folder: Path, content: bytes | None = None) -> Path:
    """A whole file of weights, or one of other content."""
    path = folder / "model.safetensors"
    write_weights(path, TENSORS)
    if content is not None:
        path.write_bytes(content)
    return path


def test_weights_come_back_and_are_as_readable_as_other_files(tmp_path: Path) -> None:
    path = written(tmp_path)
    found = read_weights(path)
    assert {name: value.tolist() for name, value in found.items()} == {
        "w": [[0, 1, 2], [3, 4, 5]],
        "n": 7,
    }
    (tmp_path / "other").touch()
    assert path.stat().st_mode == (tmp_path / "other").stat().st_mode


def test_the_hash_is_that_of_the_file_without_it(tmp_path: Path) -> None:
    path = written(tmp_path)
    save_file(read_weights(path), tmp_path / "alone")
    assert kept_hash(path) == sha256(tmp_path / "alone")


@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
@settings(max_examples=200)
def test_every_flipped_bit_is_found(
    tmp_path_factory: pytest.TempPathFactory, place: float, bit: int
) -> None:
    path = written(tmp_path_factory.mktemp("flip"))
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] ^= 1 << bit
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"model\.safetensors .*; delete it and run again"):
        read_weights(path)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty"),
        *(
            (WHOLE[: int(share * len(WHOLE))], "is cut short or no file of weights")
            for share in (0.3, 0.9, 0.99)
        ),
        (b"PK", r"is cut short or no file of weights \(.*header too small\)"),
        (b"Once upon a time, ", r"is cut short or no file of weights \(.*header too large\)"),
        (save({"w": torch.ones(2)}), "holds no hash of its tensors"),
    ],
)
def test_what_is_no_file_of_weights_is_named(tmp_path: Path, content: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=rf"model\.safetensors {problem}.*; delete it and run"):
        read_weights(written(tmp_path, content))


def test_damaged_first_weights_train_nothing(tmp_path: Path, dataset: Path) -> None:
    where = new_run(tmp_path / "run", dataset, tiny_spec())
    content = bytearray(where.init.read_bytes())
    content[-5] ^= 1
    where.init.write_bytes(content)
    with pytest.raises(ValueError, match=r"init\.safetensors is damaged"):
        trained(where)
    assert not list((where.folder / "resume").glob("*"))


def test_first_weights_of_another_model_are_refused_by_name(tmp_path: Path, dataset: Path) -> None:
    where = new_run(tmp_path / "run", dataset, tiny_spec())
    write_weights(where.init, {"w": torch.ones(2)})
    with pytest.raises(ValueError, match=r"init\.safetensors: weights do not fit.*another spec"):
        trained(where)


def test_weights_know_whose_they_are(tmp_path: Path) -> None:
    one, other = (tmp_path / f"runs/a-run/seed{seed}/model.safetensors" for seed in (1, 2))
    write_weights(one, {"w": torch.ones(2)})
    other.parent.mkdir(parents=True)
    other.write_bytes(one.read_bytes())
    with pytest.raises(UserError, match="is of seed 1 of a-run, not of seed 2 of a-run"):
        read_weights(other)
    outside = other.rename(tmp_path / "model.safetensors")
    assert read_weights(outside).keys() == read_weights(one).keys() == {"w"}
    save_file({"w": torch.ones(2)}, other, metadata={"sha256": kept_hash(one)})
    assert read_weights(other).keys() == {"w"}, "files of 0.5 name nobody"
    write_weights(outside, {"w": torch.ones(2)})
    assert kept_hash(outside) == kept_hash(one)


def test_a_transposed_tensor_comes_back(tmp_path: Path) -> None:
    tensor = torch.arange(6.0).view(2, 3).t()
    write_weights(tmp_path / "w", {"w": tensor})
    assert torch.equal(read_weights(tmp_path / "w")["w"], tensor)
