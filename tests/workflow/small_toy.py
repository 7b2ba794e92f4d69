"""The toy scale in seconds: one training of twelve updates, run by the workflow as it is."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from run_snakemake import run_snakemake

import projects
from deepmt.study.plan import load_plan

ROW = "unified.t1.shallow-post"
CHANGES = {
    "scales/toy.yaml": {
        "training.updates: 1000": "training.updates: 12",
        "training.warmup: 200": "training.warmup: 4",
        "training.checkpoint_every: 40": "training.checkpoint_every: 4",
        "training.average_last: 5": "training.average_last: 2\n  training.divergence_patience: 1.0",
        # With a large epsilon Adam's step is linear in the gradient, so rounding stays rounding.
        "training.epsilon: 1e-8": "training.epsilon: 1.0",
        "training.loss_average: token": "training.loss_average: sentence",
    },
}
"""The toy scale in seconds: a corpus of 400 pairs and 12 updates."""
TIMES = r"seconds|_per_s$|memory|hardware|^started|^finished$|attempts|own_sha256"
"""Fields of a record that differ between two runs of one thing."""


def make(root: Path) -> Path:
    """The project with settings of its own, its code as it is."""
    changed = ("config.yaml", "corpora", "corpora.yaml", "hardware.yaml", "scales")
    projects.checkout(root, "Snakefile", *changed)
    projects.shorten_toy(root, train=400, dev=20, test=20)
    for file, changes in CHANGES.items():
        text = (root / file).read_text()
        for old, new in changes.items():
            assert old in text, old
            text = text.replace(old, new)
        (root / file).write_text(text)
    return root


def only_seed(root: Path) -> Path:
    """Where the one seed trains."""
    plan = load_plan(root, {"papers": "unified", "rows": ROW})
    return root / "results/toy/runs" / next(iter(plan.runs)) / "seed1"


def snakemake(root: Path, target: Path, *flags: str) -> str:
    """What the workflow says while it makes a file."""
    asked = ["--config", "papers=unified", f"rows={ROW}", "seeds=1"]
    found = done(root, "--cores", "2", *flags, *asked, "--", str(target.relative_to(root)))
    return found.stdout + found.stderr


def done(root: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """What Snakemake says in a folder; it must succeed."""
    found = run_snakemake(root, *flags)
    assert found.returncode == 0, found.stderr
    return found


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
