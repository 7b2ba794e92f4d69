"""Which jobs an edit of one file makes run again: the toy job whose outputs are made up."""

import re
import shutil
from functools import partial
from pathlib import Path

import pytest
from small_toy import done
from test_reruns import change, edit, made_up

RUNS = 3
"""Post-norm, DS-Init and DLCL, 2+2 layers each."""
ROWS = "unified.t1.shallow-post,unified.t1.shallow-ds-init,unified.t1.shallow-dlcl-pre"
RENDERED = {"render"}
TRAINED = {"train", "average", "translate", "score", "record"}
slow = partial(pytest.param, marks=pytest.mark.slow)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole toy job of three systems, made up."""
    return made_up(tmp_path_factory.mktemp("project"), snakemake)


def snakemake(root: Path, *flags: str) -> str:
    """Return what Snakemake says of the toy scale with three systems."""
    return done(root, "--cores", "1", *flags, "--config", "scale=toy", f"rows={ROWS}").stdout


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    """A copy for a test to spoil."""
    return shutil.copytree(made, tmp_path / "project")


def again(root: Path) -> dict[str, int]:
    """Return how many jobs of each rule run again."""
    found = re.findall(r"^(\w+) +(\d+)$", snakemake(root, "-n", "--quiet", "all"), re.MULTILINE)
    return {rule: int(number) for rule, number in found if rule not in ("all", "total")}


def test_a_docstring_a_new_method_and_code_of_helpers_make_nothing_run_again(root: Path) -> None:
    library = root / "workflow_scripts/deepmt"
    for package in ("data", "model", "init", "train", "decode", "scores", "measured", "report"):
        for path in (library / package).rglob("*.py"):
            path.write_text(
                path.read_text().replace('"""', '"""Other words. ', 1) + "\n# A comment.\n"
            )
    options = (library / "settings/methods/dlcl_options.py").read_text()
    (library / "settings/methods/new_options.py").write_text(options.replace("dlcl", "new"))
    shutil.copy(library / "model/dlcl.py", library / "model/new.py")
    wings = (root / "workflow_scripts/wings").rglob("*.py")
    for path in (*wings, library / "machines/cost.py", library / "machines/seed_status.py"):
        change(path)
    assert again(root) == {}


@pytest.mark.parametrize(
    ("file", "trained", "others"),
    [
        slow("data/batches.py", RUNS, {"initialise"}),
        ("model/dlcl.py", 1, {"initialise"}),
        slow("model/transparent.py", 0, set()),
        slow("model/feed_forward.py", RUNS, {"initialise"}),
        slow("kernels/fused_attention.py", RUNS, {"initialise"}),
        ("init/ds_init.py", 1, {"initialise"}),
        ("train/loop.py", RUNS, set()),
    ],
)
def test_a_run_depends_on_its_own_method_and_on_the_loop(
    root: Path, file: str, trained: int, others: set[str]
) -> None:
    change(root / "workflow_scripts/deepmt" / file)
    found = again(root)
    for rule in TRAINED | others:
        assert found.get(rule, 0) == trained, rule
    assert "encode" not in found


def test_another_default_trains_the_runs_again_that_leave_it_out(root: Path) -> None:
    options = root / "workflow_scripts/deepmt/settings/methods/ds_init_options.py"
    edit(options, "= 0.25", "= 0.3")
    found = again(root)
    assert found["initialise"] == found["train"] == found["record"] == 1


@pytest.mark.parametrize(
    ("file", "rules"),
    [
        ("decode/search.py", {"translate", "score", "record"}),
        slow("scores/scores.py", {"score", "record"}),
        slow("judge/printed.py", set()),
        ("judge/claim.py", set()),
        slow("study/papers.py", set()),
    ],
)
def test_what_comes_after_training_trains_nothing(root: Path, file: str, rules: set[str]) -> None:
    change(root / "workflow_scripts/deepmt" / file)
    found = again(root).keys()
    assert found - RENDERED - {"params", "curves"} == rules
    assert found & RENDERED


def test_exchanged_intervals_of_the_log_train_again(root: Path) -> None:
    snakemake(root, "--touch", "--forceall")
    assert again(root) == {}
    scale = root / "scales/toy.yaml"
    edit(scale, "dev_every: ", "dev_was_every: ", hours=2)
    edit(scale, "gradients_every: ", "dev_every: ", hours=2)
    edit(scale, "dev_was_every: ", "gradients_every: ", hours=2)
    assert again(root)["train"] == RUNS


def test_extraction_makes_the_text_again_and_all_that_follows(root: Path) -> None:
    change(root / "workflow_scripts/deepmt/data/extraction.py")
    assert again(root).keys() >= {"encode"} | TRAINED


def test_a_change_of_text_steps_makes_the_tokens_again_and_all_that_follows(root: Path) -> None:
    edit(
        root / "workflow_scripts/deepmt/data/tokeniser.py",
        'tokenise="none",\n            lowercase=False',
        'tokenise="none",\n            lowercase=True',
    )
    assert again(root).keys() >= {"encode"} | TRAINED


def test_a_change_of_encoding_leaves_the_text_as_it_is(root: Path) -> None:
    change(root / "workflow_scripts/deepmt/data/encode_text.py")
    found = again(root).keys()
    assert found >= {"encode"} | TRAINED
    assert "extract" not in found


@pytest.mark.slow
def test_another_default_of_a_method_makes_its_runs_again(root: Path) -> None:
    specs = [str(path.relative_to(root)) for path in root.glob("results/toy/runs/*/spec.json")]
    done(root, "--cores", "1", "--force", "--config", "scale=toy", f"rows={ROWS}", "--", *specs)
    snakemake(root, "--touch")
    assert again(root) == {}
    options = root / "workflow_scripts/deepmt/settings/methods/dlcl_options.py"
    edit(options, "norm: bool = True", "norm: bool = False")
    found = again(root)
    assert found["resolve"] == found["initialise"] == found["train"] == 1


@pytest.mark.slow
def test_results_can_be_kept_across_an_edit(root: Path) -> None:
    change(root / "workflow_scripts/deepmt/train/loop.py")
    snakemake(root, "--touch", "--until", "record")
    assert not again(root).keys() & TRAINED
