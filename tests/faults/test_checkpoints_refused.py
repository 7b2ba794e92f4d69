"""What cannot be continued is named with a remedy that helps, and nothing else is lost."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from safetensors.torch import load_file

from deepmt.settings.spec import Spec
from deepmt.train.execution import ExecutionConfig
from deepmt.train.run_paths import RunPaths
from tiny import tiny_spec
from tiny_runs import apart, events, new_dataset, new_run, run_here, trained


def of_updates(updates: int, **changes: object) -> Spec:
    """A run that can be continued and is scored after 8 and 16 updates."""
    settings = {"updates": updates, "divergence_patience": 30.0, "milestones": [8, 16]}
    settings |= {"average_last": 3, "checkpoint_every": 4} | changes
    return tiny_spec(**{f"training__{key}": value for key, value in settings.items()})


def finished(root: Path, name: str, updates: int) -> RunPaths:
    """A run that nobody disturbed, with its own dataset."""
    run = new_run(root / name, new_dataset(root / "dataset"), of_updates(updates))
    trained(run)
    return run


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> RunPaths:
    return finished(tmp_path_factory.mktemp("runs"), "short", 24)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> RunPaths:
    """A longer run that continued nothing."""
    return finished(tmp_path_factory.mktemp("runs"), "whole", 32)


@pytest.fixture
def harmed(short: RunPaths, tmp_path: Path) -> Path:
    """A copy of the finished run, to be harmed."""
    return Path(shutil.copytree(short.folder, tmp_path / "short"))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def spoil_another(spec: Path) -> None:
    (spec.parents[1] / "other").mkdir()
    for file in ("spec.json", "outcome.json"):
        (spec.parents[1] / "other" / file).write_text("{")


Harm = Callable[[Path], None]
CONTINUED: dict[str, tuple[str, Harm, str, int]] = {
    "newest state cut": (
        "resume/state-00000024-*", cut,
        r"short/resume/state-00000024-\w+\.pt is damaged: an older state is continued", 20,
    ),
    "all states cut": (
        "resume/state-*", cut, r"short/resume holds no intact state: .* cannot be continued", 0,
    ),
    "states deleted": (
        "resume/state-*", Path.unlink, r"short/resume holds no intact state: .* cannot be", 0,
    ),
    "milestone deleted": (
        "resume/milestone-00000008-*", Path.unlink,
        r"the state after update 24 differs in its milestones \(the weights of 8 are not there\): "
        "training begins again", 0,
    ),
    "log deleted": (
        "log.jsonl", Path.unlink, r"short/log\.jsonl is gone: the curves of this run begin", 24,
    ),
    "spec of another run": (
        "spec.json", spoil_another, r"other/spec\.json cannot be read: its run is left out", 24,
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", CONTINUED)
def test_a_longer_run_continues_what_is_intact(
    fault: str, harmed: Path, whole: RunPaths, dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pattern, harm, said, update = CONTINUED[fault]
    for path in list(harmed.glob(pattern)):
        harm(path)
    long = new_run(harmed.parent / "long", dataset, of_updates(32))
    capsys.readouterr()
    trained(long)
    assert re.search(said, capsys.readouterr().err)
    assert [event["update"] for event in events(long, "resumed")] == [update] * (update > 0)
    assert apart(long, whole) == 0


REFUSED: dict[str, tuple[str, Harm, str]] = {
    "weights deleted": (
        "resume/weights-00000020-*", Path.unlink,
        r"short/resume: the weights of update 20 are gone; delete .*short/resume to train all",
    ),
    "weights cut": (
        "resume/weights-00000020-*", cut,
        r"short/resume/weights-00000020-.* is damaged; delete .*short/resume to train all",
    ),
    "milestone cut": (
        "resume/milestone-00000008-*", cut,
        r"short/resume/milestone-00000008-.* is damaged: delete it to train up to it again",
    ),
    "outcome cut": (
        "outcome.json", cut, r"short/outcome.json is damaged .*; finish that run again, or delete",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", REFUSED)
def test_a_damaged_checkpoint_is_refused_where_it_lies_before_anything_is_copied(
    fault: str, harmed: Path, dataset: Path
) -> None:
    pattern, harm, said = REFUSED[fault]
    [path] = harmed.glob(pattern)
    harm(path)
    long = new_run(harmed.parent / "long", dataset, of_updates(32))
    with pytest.raises(ValueError, match=said):
        trained(long)
    assert not (long.folder / "log.jsonl").exists()


@pytest.mark.parametrize("harm", [Path.unlink, cut], ids=["deleted", "cut"])
def test_a_mean_of_fewer_checkpoints_is_refused(harm: Harm, harmed: Path, dataset: Path) -> None:
    [path] = (harmed / "resume").glob("weights-00000020-*")
    harm(path)
    with pytest.raises(ValueError, match=r"short/resume.* update 20 |weights-00000020.*damaged"):
        trained(paths_of(harmed, dataset))


def paths_of(folder: Path, dataset: Path) -> RunPaths:
    """The files of a run in its folder."""
    files = {"spec": "spec.json", "init": "init.safetensors", "output": "outcome.json"}
    return RunPaths(dataset=dataset, **{key: folder / name for key, name in files.items()})


def test_a_milestone_that_was_deleted_is_scored_again(
    harmed: Path, short: RunPaths, dataset: Path
) -> None:
    """By the remedy that the averaging names."""
    [milestone] = (harmed / "resume").glob("milestone-00000008-*")
    milestone.unlink()
    own = ["--spec", harmed / "spec.json", "--outcome", harmed / "outcome.json", "--milestone", 8]
    with pytest.raises(ValueError, match=rf"{milestone.name} is missing .*: delete .*outcome.json"):
        run_here("jobs.average", *own, "--output", harmed / "model.safetensors")
    (harmed / "outcome.json").unlink()
    trained(paths_of(harmed, dataset))
    expected = load_file(short.folder / "resume" / milestone.name)
    assert all(expected[name].equal(value) for name, value in load_file(milestone).items())


def test_a_users_own_files_beside_the_checkpoints_stop_nothing(harmed: Path, dataset: Path) -> None:
    resume = harmed / "resume"
    [state] = resume.glob("state-00000024-*")
    mine = ["state-final-copy.pt", "weights-2024-mine.safetensors", "milestone-x-y.z", "notes.txt"]
    for name in mine:
        shutil.copy(state, resume / name)
    assert trained(paths_of(harmed, dataset))["averaged_updates"] == [16, 20, 24]
    assert all((resume / name).exists() for name in mine)


DIFFERS: dict[str, tuple[dict[str, object], str, str]] = {
    "another precision": ({}, "bfloat16", r"its precision \(float32, now bfloat16\)"),
    "another rate": ({"lr": 2e-2}, "auto", r"its settings \(\w{8}, now \w{8}\)"),
    "a milestone more": ({"milestones": [4, 8, 16]}, "auto", r"its milestones \(.* 4 are not"),
}


@pytest.mark.parametrize("difference", DIFFERS)
def test_a_state_is_deleted_only_after_a_sentence_that_names_what_differs(
    difference: str, harmed: Path, dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changes, precision, said = DIFFERS[difference]
    new_run(harmed, dataset, of_updates(24, **changes))
    capsys.readouterr()
    trained(paths_of(harmed, dataset), ExecutionConfig(precision=precision))
    assert re.search(
        rf"short/resume: the state after update 24 differs in {said}.*: training begins again, "
        "and all its checkpoints are deleted",
        capsys.readouterr().err,
    )
