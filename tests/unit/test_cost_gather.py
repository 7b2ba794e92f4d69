"""What a machine is calibrated by is what it computed alone."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from deepmt.estimate.gather import gather
from deepmt.files import write_json
from tiny import tiny_spec

CPU = {"device": "cpu", "name": "Invented CPU", "threads": 1, "precision": "float32"}


def trained(results: Path, seed: int, **changes: Any) -> None:
    """Put an outcome where the workflow would."""
    run = results / "runs" / tiny_spec().run
    figures = {"updates": 100, "train_seconds": 5.0, "peak_memory_mb": 500, "parameters": 10}
    write_json(run / "spec.json", asdict(tiny_spec()))
    write_json(run / f"seed{seed}/outcome.json", figures | {"hardware": CPU | changes})


def test_a_run_of_one_processor_is_a_point(tmp_path: Path) -> None:
    trained(tmp_path, 1)
    assert [(point.hardware, point.seconds) for point in gather(tmp_path)] == [
        ("Invented CPU", 0.05)
    ]


@pytest.mark.parametrize("changes", [{"device": "cuda"}, {"earlier": [CPU]}])
def test_a_run_of_a_gpu_or_of_two_machines_is_none(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    trained(tmp_path, 1, **changes)
    with pytest.raises(ValueError, match="train some first"):
        gather(tmp_path)
