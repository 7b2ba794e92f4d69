"""The cores that a process may use: by affinity, and by the time of its control group."""

import os
from pathlib import Path

import pytest

from deepmt.config.hardware import usable_cores


@pytest.mark.parametrize(
    ("quota", "cores"), [("max 100000", 4), ("250000 100000", 2), ("50000 100000", 1), ("", 4)]
)
def test_cores_are_those_of_affinity_and_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quota: str, cores: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 2, 3, 7})
    if quota:
        (tmp_path / "cpu.max").write_text(f"{quota}\n")
    assert usable_cores(tmp_path) == cores
