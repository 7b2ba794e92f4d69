"""A state of another form is named before anything is lost, whichever of its keys is wrong."""

import copy
import pickle
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from deepmt.base.errors import UserError
from deepmt.train.checkpoint import Checkpoints
from deepmt.train.run_paths import RunPaths
from deepmt.train.stop import StopRequested
from tiny import tiny_spec
from tiny_runs import apart, new_run, trained

GONE = object()
WRONG: dict[str, Any] = {
    "gone": GONE,
    "text": "x",
    "negative": -1,
    "nan": float("nan"),
    "list": [[]],
    "tensor": torch.ones(3, 2),
}
UNREAD = {"schema", "losses", "history"}
"""What may be any number or text, or is not there in older states."""
Place = tuple[Any, ...]


def started(folder: Path, dataset: Path, **settings: Any) -> RunPaths:
    """A run of one update."""
    where = new_run(folder, dataset, tiny_spec(**settings))
    with pytest.raises(StopRequested):
        trained(where, signals=["SIGTERM"])
    return where


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    """Every key of a state, at any depth; of many weights and unread options, the first."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        few = place == ("model",) or "param_groups" in place
        for key, child in list(pairs)[: 1 if few else None]:
            yield (*place, key)
            yield from places(child, (*place, key))


def spoilt(state: dict[str, Any], place: Place, wrong: Any) -> dict[str, Any]:
    """A copy with something else, or nothing, at a place."""
    state = copy.deepcopy(state)
    inner: Any = state
    for key in place[:-1]:
        inner = inner[key]
    if wrong is GONE:
        del inner[place[-1]]
    else:
        inner[place[-1]] = wrong
    return state


def refused(where: RunPaths) -> str:
    """Why a run does not go on, or nothing."""
    try:
        trained(where)
    except UserError as error:
        return str(error)
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", ["adam", "muon"])
def test_every_key_of_a_state_is_named_or_changes_nothing(
    optimizer: str, tmp_path: Path, dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {"training__optimizer": optimizer, "training__updates": 2, "training__warmup": 1}
    settings |= {"encoder__layers": 1, "decoder__layers": 1}
    where = started(tmp_path / "run", dataset, **settings)
    whole = new_run(tmp_path / "whole", dataset, tiny_spec(**settings))
    trained(whole)
    [path] = where.files.states.glob("state-*")
    state = torch.load(path)
    named = 0
    for place in places(state):
        for name, wrong in WRONG.items():
            for left in where.files.states.iterdir():
                left.unlink()
            where.output.unlink(missing_ok=True)
            Checkpoints(where.files.states, 1, 1).save_state(1, spoilt(state, place, wrong))
            capsys.readouterr()
            if refusal := refused(where):
                assert "holds no state of this version (" in refusal, (place, name)
                assert [*where.files.states.glob("state-*")], (place, name)
                named += 1
                continue
            said = capsys.readouterr().err
            assert apart(where, whole) == 0, (place, name)
            harmless = place[0] in UNREAD or "param_groups" in place
            told = "training begins again" in said or "resumed with" in said
            assert told or harmless, (place, name)
    assert named > 100


CODE: dict[str, Callable[[Path], object]] = {
    "pickle": lambda path: path.write_bytes(pickle.dumps(print)),
    "text": lambda path: path.write_text("state"),
    "nothing": lambda path: path.write_bytes(b""),
    "list": lambda path: torch.save([1], path),
    "another module": lambda path: torch.save(torch.nn.Linear(2, 2), path),
}


@pytest.mark.parametrize("kind", CODE)
def test_a_file_that_is_no_state_is_named(kind: str, tmp_path: Path, dataset: Path) -> None:
    where = started(tmp_path / "run", dataset)
    [path] = where.files.states.glob("state-*")
    checkpoints = Checkpoints(where.files.states, 1, 1)
    checkpoints._save("state", ".pt", 2, CODE[kind])
    before = shutil.copytree(where.folder, tmp_path / "before")
    with pytest.raises(UserError, match=r"state-0+2-\w+\.pt holds no state of this version \("):
        trained(where)
    assert {p.name for p in (before / "resume").iterdir()} == {
        p.name for p in path.parent.iterdir()
    }
    next(path.parent.glob("state-*2-*")).unlink()  # the remedy
    trained(where)


def test_memory_that_ends_is_not_taken_for_a_foreign_state(
    tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = started(tmp_path / "run", dataset)

    def load(*_: object, **__: object) -> None:
        raise RuntimeError("unable to mmap 640 bytes from file <...>: Cannot allocate memory (12)")

    monkeypatch.setattr(torch, "load", load)
    with pytest.raises(RuntimeError, match="mmap"):
        trained(where)
