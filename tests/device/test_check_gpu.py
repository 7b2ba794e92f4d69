"""`make check-gpu` passes on a pretended GPU."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench import check_gpu

STEPS = ("machine", "equality", "resume", "training base", "decoding", "narrow")


def rehearse(folder: Path) -> int:
    """Run the check with small models."""
    effort = replace(check_gpu.EFFORTS["cpu"], narrow=check_gpu.size("narrow", 1, 16, 32, 2, 100))
    check_gpu.EFFORTS = {"cuda": effort}
    os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
    (folder / "nvidia-smi").write_text("#!/bin/sh\necho 0, 0 MiB\n")
    (folder / "nvidia-smi").chmod(0o755)
    return check_gpu.main(steps=STEPS, output=folder / "gpu.json")


@pytest.mark.slow
def test_the_check_passes(on_gpu: Callable[..., Any], tmp_path: Path) -> None:
    assert on_gpu(rehearse, tmp_path) == 0
    results = json.loads((tmp_path / "gpu.json").read_text())["results"]
    assert results.keys() == set(STEPS)
    assert results["machine"]["device"]["name"] == "pretended GPU"
    waits = results["training base"]["post bfloat16, 100 tokens"]["waits"]
    assert sum(waits.values()) < 3
