"""The cores that a process may use: by affinity, and by the time of its control group."""

import os
from pathlib import Path

import pytest

from deepmt.machines.hardware import usable_cores

LIMITED = {"cpu.cfs_quota_us": "250000", "cpu.cfs_period_us": "100000"}
"""Two and a half cores, as version 1 says it."""
UNLIMITED = {**LIMITED, "cpu.cfs_quota_us": "-1"}
V1 = "5:memory:/a/b\n4:cpu,cpuacct:/a/b\n3:cpuset:/a\n1:name=systemd:/a"
BOTH = "3:cpu:/\n0::/a/b"
Tree = dict[str, dict[str, str]]


@pytest.fixture(autouse=True)
def affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four cores may be used."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 2, 3, 7})


def usable(root: Path, own: str, tree: Tree) -> int:
    """The cores that are found in a made-up tree of control groups."""
    for folder, files in tree.items():
        (root / "groups" / folder).mkdir(parents=True)
        for name, text in files.items():
            (root / "groups" / folder / name).write_text(f"{text}\n")
    (root / "own").write_text(own)
    return usable_cores(root / "groups", root / "own")


@pytest.mark.parametrize(
    ("quota", "cores"), [("max 100000", 4), ("250000 100000", 2), ("50000 100000", 1), ("", 4)]
)
def test_cores_are_those_of_affinity_and_group(tmp_path: Path, quota: str, cores: int) -> None:
    assert usable(tmp_path, "0::/", {"": {"cpu.max": quota}}) == cores


@pytest.mark.parametrize(
    ("own", "tree"),
    [
        ("0::/a/b", {"a": {"cpu.max": "250000 100000"}, "a/b": {"cpu.max": "max 100000"}}),
        (V1, {"cpu,cpuacct/a": LIMITED, "cpu,cpuacct/a/b": UNLIMITED}),
        (V1.replace("cpu,cpuacct", "cpuacct,cpu"), {"cpu/a/b": LIMITED}),
        ("4:cpu:/docker/1f", {"cpu": LIMITED}),
        (BOTH, {"cpu": LIMITED, "unified/a/b": {}}),
        (BOTH, {"cpu": UNLIMITED, "unified/a": {"cpu.max": "250000 100000"}}),
    ],
    ids=["outer group", "version 1", "other order", "container", "hybrid", "hybrid, other way"],
)
def test_either_version_of_control_groups_limits(tmp_path: Path, own: str, tree: Tree) -> None:
    assert usable(tmp_path, own, tree) == 2


@pytest.mark.parametrize(
    ("own", "tree"),
    [
        (V1, {"cpu,cpuacct/a/b": UNLIMITED, "cpu,cpuacct/other": LIMITED}),
        (V1, {"memory/a/b": LIMITED, "cpuset/a": LIMITED}),
        (V1, {"cpu,cpuacct/a/b": {"cpu.cfs_quota_us": "250000"}}),
        ("", {"": {"cpu.max": "250000 100000"}}),
    ],
    ids=["unlimited", "other controllers", "half a limit", "no group"],
)
def test_all_cores_are_usable_without_a_limit(tmp_path: Path, own: str, tree: Tree) -> None:
    assert usable(tmp_path, own, tree) == 4


def test_affinity_counts_alone_where_groups_are_unknown(tmp_path: Path) -> None:
    (tmp_path / "cpu.max").mkdir()  # no file that can be read
    assert usable_cores(tmp_path, own=tmp_path / "missing") == 4
    (tmp_path / "own").write_text("0::/\n")
    assert usable_cores(tmp_path, own=tmp_path / "own") == 4
