"""What is fetched, and what lies here already."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import shelf

from deepmt.config.settings import Plan, load_plan
from deepmt.estimate.downloads import Download, downloads
from deepmt.estimate.graph import needed
from deepmt.estimate.jobs import all_jobs


@cache
def planned(scale: str) -> Plan:
    return load_plan(shelf.ROOT, {"scale": scale, "papers": "zhang2019,wang2019", "rows": "all"})


def found(root: Path, scale: str, mirror: str = "") -> dict[str, Download]:
    plan = planned(scale)
    plan = replace(plan, config=replace(plan.config, mirror=mirror))
    jobs = needed(all_jobs(plan, root), lambda path: False).values()
    return {one.key: one for one in downloads(plan, jobs, root)}


def test_the_embedded_corpus_needs_no_download(tmp_path: Path) -> None:
    assert found(tmp_path, scale="toy") == {}


def test_sizes_are_those_of_corpora_yaml_and_the_unknown_is_none(tmp_path: Path) -> None:
    archives = found(tmp_path, scale="paper")
    assert archives["wmt13.training-parallel-europarl-v7.tgz"].bytes == 657_632_379
    assert archives["wmt14-stanford.train.en"].bytes is None
    assert archives["wmt14-stanford.train.en"].state == "to download"
    assert archives["nist12.train.zh"].state == "your own"


def test_files_that_lie_here_or_in_the_mirror_count_by_their_own_size(tmp_path: Path) -> None:
    root = tmp_path
    mirror = tmp_path / "mirror"
    for path in (root / "data/archives/nist12.train.zh", mirror / "nist12/train.en"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("twelve bytes")
    archives = found(root, scale="paper", mirror=str(mirror))
    assert archives["nist12.train.zh"] == Download(key="nist12.train.zh", bytes=12, state="here")
    assert archives["nist12.train.en"].state == "in the mirror"
    assert archives["nist12.mt04.en"].state == "your own"
