"""The workflow runs in an environment that was not activated, and with PYTHONSAFEPATH."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_records_alone import NEEDED

from projects import link


@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="these tests run in no .venv")
def test_jobs_run_in_the_environment_of_snakemake(tmp_path: Path) -> None:
    link(tmp_path, *NEEDED)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    command = [".venv/bin/python", "-m", "snakemake", "--cores", "1", "tables", "--config"]
    found = subprocess.run(
        [*command, "from=records", "scale=multi30k", "papers=liu2020"],
        cwd=tmp_path,
        env={"PATH": os.defpath, "HOME": os.environ["HOME"], "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert (tmp_path / "results/multi30k-records/tables/liu2020.md").exists()
