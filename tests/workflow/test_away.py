"""Seeds away from the workflow: the same commands, the same records, and never late."""

import os
import re
import shlex
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from small_toy import ROW, leaves, make, only_seed, read, snakemake
from test_workflow import ROOT

from deepmt.away.commands import Seed
from deepmt.config.settings import load_plan

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("away")]

OF_PLACES = ("--gpus", "--workers", "--device")
"""Flags that say where something is computed."""
STOPPED = 75


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, on a toy scale of its own."""
    return make(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def here(root: Path) -> Path:
    """The seed as the workflow makes it, put aside."""
    seed = only_seed(root)
    snakemake(root, seed / "record.json")
    return seed.rename(seed.with_name("here"))


def away(root: Path, minutes: float, **environment: str) -> tuple[int, str]:
    """Exit status and words of away.py, where Snakemake cannot be imported."""
    stub = root / "stub/snakemake/__init__.py"
    stub.parent.mkdir(parents=True, exist_ok=True)
    stub.write_text("raise ImportError('snakemake')")
    script = ROOT / "workflow_scripts/away.py"
    flags = ["--config", "papers=unified", f"rows={ROW}", "seeds=1", "--minutes", minutes]
    done = subprocess.run(
        [sys.executable, str(script), *map(str, flags), "--output", "back.tar.xz"],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root / "stub")} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def flags_of(words: list[str]) -> dict[str, list[str]]:
    """Values by flag, but for those of places."""
    found: dict[str, list[str]] = {}
    for word in words:
        if word.startswith("--"):
            values = found.setdefault(word, [])
        else:
            values.append(word)
    return {flag: values for flag, values in found.items() if flag not in OF_PLACES}


def test_its_commands_are_those_of_the_rules(root: Path, here: Path) -> None:
    said = snakemake(root, only_seed(root) / "record.json", "-n", "-p", "--forceall")
    said += snakemake(root, only_seed(root) / "course.json", "-n", "-p", "--forceall")
    printed = {}
    for line in re.findall(r"python workflow_scripts/(\w+\.py .*?) 2> ", said):
        line = re.sub(r"\$\(dirname (\S+)\)", lambda found: str(Path(found[1]).parent), line)
        script, *words = shlex.split(line)
        printed[script.removesuffix(".py")] = flags_of(words)
    plan = load_plan(root, {"papers": "unified", "rows": ROW})
    (spec,) = plan.runs.values()
    for step in Seed(plan, spec, 1).steps():
        assert flags_of(list(step.flags)) == printed[step.script], step.script


def test_when_the_time_is_up_it_stops_and_goes_on_where_it_was(root: Path, here: Path) -> None:
    seed = only_seed(root)
    status, said = away(root, 0)
    assert status == STOPPED, said
    assert not seed.exists()
    # Time enough to import everything once and to begin, and not to train.
    status, said = away(root, 0.18)
    assert (status, "was stopped" in said) == (STOPPED, True), said
    status, said = away(root, 10)
    assert status == 0, said
    one, two = (dict(leaves(read(each / "record.json"))) for each in (here, seed))
    assert one == two
    with tarfile.open(root / "back.tar.xz") as back:
        names = {Path(name).relative_to(seed.relative_to(root).parent) for name in back.getnames()}
    assert {Path("spec.json"), Path("seed1/record.json"), Path("seed1/hyp.test.txt")} <= names
    assert not [name for name in names if name.suffix == ".safetensors"]


def test_what_fails_is_told_with_its_log(root: Path, here: Path) -> None:
    seed = only_seed(root)
    ids = next((root / "data/encoded").glob("*/ids/train.de.ids.npy"))
    for path in (seed / "record.json", seed / "init.safetensors", seed / "outcome.json"):
        path.unlink(missing_ok=True)
    hidden = ids.rename(ids.with_suffix(".gone"))
    try:
        status, said = away(root, 10)
    finally:
        hidden.rename(ids)
    assert status == 1
    (log,) = re.findall(r"see (\S+)", said)
    assert "train.de.ids.npy" in (root / log).read_text()


def test_what_must_be_brought_along_is_named(root: Path, here: Path) -> None:
    manifest = next((root / "data/encoded").glob("*/manifest.json"))
    hidden = manifest.rename(manifest.with_suffix(".gone"))
    try:
        status, said = away(root, 10)
    finally:
        hidden.rename(manifest)
    assert status == 1
    assert f"missing: {manifest.relative_to(root)}" in said
