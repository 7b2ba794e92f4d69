"""What a user reads on the console when a rule fails, or Snakemake lacks a plugin."""

import re
from pathlib import Path

import pytest
import small_toy
from run_snakemake import run_snakemake

from deepmt.config.plan import load_plan
from deepmt.files import write_text
from projects import ROOT

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


def tell_retries() -> None:
    """Make Snakemake print how often it submits each rule again, as soon as it reads the rule."""
    from snakemake.rules import Rule

    known = Rule.restart_times

    def put(rule: Rule, times: int | None) -> None:
        print(f"{rule.name} retries {times}")
        known.fset(rule, times)

    Rule.restart_times = known.setter(put)


def test_clusters_page_explains_what_snakemake_says_without_its_plugin() -> None:
    refused = run_snakemake(ROOT, *ON_SLURM, before=without_slurm)
    assert refused.returncode
    page = (ROOT / "docs/clusters.md").read_text()
    [package, said] = re.findall(
        r"`pip install (\S+)` first; without it Snakemake says\s+`(.+)`", page
    )[0]
    assert said in refused.stderr
    assert f"\n{package}==" in (ROOT / "requirements.txt").read_text()
    assert package in (ROOT / "profiles/slurm/config.yaml").read_text()


def test_on_slurm_only_training_is_submitted_again() -> None:
    found = run_snakemake(ROOT, *ON_SLURM, before=tell_retries)
    assert found.returncode == 0, found.stderr
    times = dict(re.findall(r"^(\w+) retries (\w+)$", found.stdout, re.MULTILINE))
    assert times.pop("train") == "10"
    assert set(times.values()) == {"None"}
