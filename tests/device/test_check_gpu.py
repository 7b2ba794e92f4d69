"""`make check-gpu` passes on a pretended GPU."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench import check_gpu, steps

HOUR = 3600.0
STEPS = ("machine", "equality", "resume", "training base", "decoding", "narrow")


def rehearse(folder: Path) -> int:
    """Run the check with small models."""
    effort = replace(check_gpu.EFFORTS["cpu"], narrow=check_gpu.size("narrow", 1, 16, 32, 2, 100))
    check_gpu.EFFORTS = {"cuda": effort}
    os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
    (folder / "nvidia-smi").write_text("#!/bin/sh\necho 0, 0 MiB\n")
    (folder / "nvidia-smi").chmod(0o755)
    steps.STEP_SECONDS = HOUR  # other programs may keep this machine busy
    args = check_gpu.Args(steps=STEPS, budget=HOUR, output=folder / "gpu.json")
    return check_gpu.main(args)


@pytest.mark.slow
def test_the_check_passes(on_gpu: Callable[..., Any], tmp_path: Path) -> None:
    assert on_gpu(rehearse, tmp_path) == 0
    results = json.loads((tmp_path / "gpu.json").read_text())["results"]
    assert results.keys() == set(STEPS)
    assert results["machine"]["device"]["name"] == "pretended GPU"
    assert sum(results["training base"]["100 profile"]["waits"].values()) < 3
