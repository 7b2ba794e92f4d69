"""What a user reads on the console when a rule fails, or Snakemake lacks a plugin."""

import re
from pathlib import Path

import pytest
import small_toy
from run_snakemake import run_snakemake
from test_workflow import ROOT

from deepmt.config.plan import load_plan
from deepmt.files import write_text

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
    target = f"data/encoded/{spec.dataset}/tok/cleaning.json"
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


def test_clusters_page_explains_what_snakemake_says_without_its_plugin(tmp_path: Path) -> None:
    root = small_toy.make(tmp_path)
    (root / "profiles").symlink_to(ROOT / "profiles")
    refused = run_snakemake(root, "-n", "--profile", "profiles/slurm", before=without_slurm)
    assert refused.returncode
    page = (ROOT / "docs/clusters.md").read_text()
    [package, said] = re.findall(
        r"`pip install (\S+)` first; without it Snakemake says\s+`(.+)`", page
    )[0]
    assert said in refused.stderr
    assert f"\n{package}==" in (ROOT / "requirements.txt").read_text()
    assert package in (ROOT / "profiles/slurm/config.yaml").read_text()
    assert not run_snakemake(root, "-n", "--profile", "profiles/slurm").returncode
