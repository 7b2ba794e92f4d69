"""What a user reads on the console when a rule fails, or Snakemake lacks a plugin."""

import re
import sys
from pathlib import Path

import pytest
import small_toy
from run_snakemake import run_snakemake

from deepmt.base.files import write_text
from deepmt.study.plan import load_plan
from projects import ROOT, checkout, plan

ON_SLURM = ("-n", "--nolock", "--profile", "profiles/slurm")
CONFIG = {"papers": "unified", "rows": small_toy.ROW}


@pytest.mark.slow
def test_an_expected_failure_shows_its_message_and_no_traceback(tmp_path: Path) -> None:
    root = small_toy.make(tmp_path)
    (root / "profiles").symlink_to(ROOT / "profiles")
    [spec] = load_plan(root, CONFIG).runs.values()
    raw = root / "data/raw" / spec.data.corpus
    for name in ("train", "dev", "test"):
        for language in spec.data.languages:
            write_text(raw / f"{name}.{language}", "a b\n" + "a \0 b\n" * (name == "train"))
    write_text(raw / "counts.json", "{}")
    flags = ["--config", *(f"{key}={value}" for key, value in CONFIG.items())]
    target = f"data/encoded/{spec.dataset}/manifest.json"
    # The text is newer than the code that would make it.
    failed = run_snakemake(root, "--cores", "1", "--rerun-triggers", "mtime", *flags, "--", target)
    assert failed.returncode
    where = f"data/raw/{spec.data.corpus}/train.{spec.data.source}, line 2, byte 3"
    assert f"\n{where}: a NUL byte is not text; remove it\n" in failed.stderr
    assert "Traceback" not in failed.stderr


def without_slurm() -> None:
    """Hide Snakemake's plugin for Slurm."""
    from snakemake_interface_executor_plugins.registry import ExecutorPluginRegistry

    del ExecutorPluginRegistry().plugins["slurm"]


def as_on_a_cluster() -> None:
    """Let the Snakefile see an executor of a cluster, and print what it makes of `retries`."""
    from snakemake.api import Workflow  # the one module of the circle that may be the first
    from snakemake.rules import Rule

    known = Rule.restart_times

    def put(rule: Rule, times: int | None) -> None:
        print(f"{rule.name} retries {times}", flush=True)
        known.fset(rule, times)

    def asked_by_the_snakefile(workflow: Workflow) -> bool:
        return Path(sys._getframe(1).f_code.co_filename).resolve() == (ROOT / "Snakefile").resolve()

    Rule.restart_times = known.setter(put)
    Workflow.non_local_exec = property(asked_by_the_snakefile)


def test_clusters_page_explains_what_snakemake_says_without_its_plugin() -> None:
    refused = run_snakemake(ROOT, *ON_SLURM, before=without_slurm)
    assert refused.returncode
    page = (ROOT / "docs/clusters.md").read_text()
    [package, said] = re.findall(
        r"`pip install '([\w-]+)\S+` first; without it Snakemake says\s+`(.+)`", page
    )[0]
    assert said in refused.stderr
    assert f'"{package}==' in (ROOT / "pyproject.toml").read_text()
    assert package in (ROOT / "profiles/slurm/config.yaml").read_text()


@pytest.mark.parametrize(
    ("flags", "times"),
    [
        (("--set-resources", "train:runtime=9"), "10"),
        (("--set-resources", "train:retries=3"), "3"),
        (("--retries", "20"), "20"),
    ],
)
def test_on_a_cluster_only_training_is_submitted_again(
    tmp_path: Path, flags: tuple[str, ...], times: str
) -> None:
    root = checkout(tmp_path)
    spec = plan(scale="toy", papers="unified").specs["unified.t1.shallow-post"]
    target = f"results/toy/runs/{spec.run}/spec.json"
    command = ("--cores", "1", *flags, "--", target)
    found = run_snakemake(root, *command, before=as_on_a_cluster)
    assert found.returncode == 0, found.stderr
    said = dict(re.findall(r"^(\w+) retries (\w+)$", found.stdout, re.MULTILINE))
    assert said.pop("train") == times
    assert set(said.values()) == {"None"}
