"""What a user reads on the console when a rule fails."""

from pathlib import Path

import pytest
import small_toy
from run_snakemake import run_snakemake
from test_workflow import ROOT

from deepmt.config.settings import load_plan
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
