"""`snakemake -n` needs Snakemake and its own dependencies, and nothing else of ours."""

import re
import subprocess
import sys
import tomllib

from projects import ROOT

OF_SNAKEMAKE = {"pydantic", "pyyaml"}
"""Snakemake brings both."""
REQUIRED = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
IMPORTED = {"pyyaml": "yaml", "subword-nmt": "subword_nmt"}


def test_rules_import_no_package_that_snakemake_does_not_bring() -> None:
    rules = "\n".join(path.read_text() for path in sorted((ROOT / "rules").glob("*.smk")))
    modules = sorted(set(re.findall(r"^from (deepmt\S+) import", rules, re.MULTILINE)))
    assert "deepmt.study.plan" in modules
    pinned = re.findall(r"^([\w-]+)(?:\[\w+\])?==", "\n".join(REQUIRED), re.M)
    ours = {IMPORTED.get(name, name) for name in pinned if name not in OF_SNAKEMAKE}
    code = f"import sys, {', '.join(modules)}; print(*set({sorted(ours)}) & sys.modules.keys())"
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT / "workflow_scripts",
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.split() == []
