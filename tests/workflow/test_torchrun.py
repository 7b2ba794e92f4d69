"""A training that two processes share, from the workflow: torchrun gives the record of one."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file
from test_workflow import ROOT, SNAKEMAKE

from deepmt.settings import load_plan

ROW = "unified.t1.shallow-post"
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("torchrun")]

CHANGES = {
    "scales/toy.yaml": {
        "training.updates: 1000": "training.updates: 12",
        "training.warmup: 200": "training.warmup: 4",
        "training.checkpoint_every: 40": "training.checkpoint_every: 4",
        "training.average_last: 5": "training.average_last: 2\n  training.stall_share: 1.0",
        # With a large epsilon Adam's step is linear in the gradient, so rounding stays rounding.
        "training.epsilon: 1e-8": "training.epsilon: 1.0",
        "training.loss_average: token": "training.loss_average: sentence",
    },
    "corpora.yaml": {"{train: 20000, dev: 500, test: 500}": "{train: 400, dev: 20, test: 20}"},
}
"""The toy scale in seconds: a corpus of 400 pairs and 12 updates."""
TIMES = r"seconds|_per_s$|memory|hardware|^started|^finished$|attempts"
"""Fields of a record that differ between two runs of one thing."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with settings of its own, its code as it is."""
    root = tmp_path_factory.mktemp("project")
    for name in ("config.yaml", "corpora.yaml", "hardware.yaml", "Snakefile"):
        shutil.copy(ROOT / name, root)
    shutil.copytree(ROOT / "scales", root / "scales")
    for name in ("envs", "papers", "report", "rules", "workflow_scripts"):
        (root / name).symlink_to(ROOT / name)
    (root / "records").mkdir()
    for file, changes in CHANGES.items():
        text = (root / file).read_text()
        for old, new in changes.items():
            assert old in text, old
            text = text.replace(old, new)
        (root / file).write_text(text)
    return root


@pytest.fixture(scope="module")
def seed(root: Path) -> Path:
    """Where the one seed trains."""
    plan = load_plan(root, {"papers": "unified", "rows": ROW})
    return root / "results/toy/runs" / next(iter(plan.runs)) / "seed1"


def snakemake(root: Path, target: Path, *flags: str) -> str:
    """What the workflow says while it makes a file."""
    target = target.relative_to(root)
    command = [SNAKEMAKE, "--cores", "2", *flags, "--config", "papers=unified", f"rows={ROW}"]
    found = subprocess.run(
        [*map(str, command), "seeds=1", "--", str(target)],
        cwd=root,
        env=os.environ | {"PATH": f"{SNAKEMAKE.parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout + found.stderr


@pytest.fixture(scope="module")
def alone(root: Path, seed: Path) -> Path:
    """The seed as one process trains it, put aside."""
    snakemake(root, seed / "record.json")
    return seed.rename(seed.with_name("alone"))


@pytest.fixture(scope="module")
def together(root: Path, seed: Path, alone: Path) -> Path:
    """The same seed as two processes train it."""
    snakemake(
        root, seed / "record.json", "--set-threads", "train=2", "--set-resources", "train:workers=2"
    )
    return seed


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every number and word of a record but for times, by its path."""
    if isinstance(value, dict):
        for key, part in value.items():
            if not re.search(TIMES, key):
                yield from leaves(part, f"{name}.{key}")
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from leaves(part, f"{name}.{number}")
    else:
        yield name, value


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text())


def test_two_processes_trained_the_one_and_one_the_other(alone: Path, together: Path) -> None:
    workers = [read(each / "outcome.json")["hardware"]["workers"] for each in (alone, together)]
    assert workers == [1, 2]


def test_their_records_are_equal(alone: Path, together: Path) -> None:
    one, two = (dict(leaves(read(each / "record.json"))) for each in (alone, together))
    # Twelve such updates learn nothing; that, too, both say, at the same update.
    assert one.keys() == two.keys()
    for name, value in one.items():
        assert two[name] == (
            pytest.approx(value, rel=1e-5) if isinstance(value, float) else value
        ), name


def test_their_weights_are_equal_but_for_rounding(alone: Path, together: Path) -> None:
    one, two = (load_file(each / "model.safetensors") for each in (alone, together))
    assert max(float((one[name] - two[name]).abs().max()) for name in one) < 1e-6


def test_other_requests_rerun_nothing(root: Path, together: Path) -> None:
    flags = ["train:mem_mb=1", "train:runtime=1", "train:workers=1", "translate:gpu=1"]
    said = snakemake(
        root, together / "record.json", "-n", "--set-threads", "train=1", "--set-resources", *flags
    )
    assert "Nothing to be done" in said
