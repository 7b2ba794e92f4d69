"""Many small runs share one GPU, here a pretended one; each comes back whole or not at all."""

import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing import active_children, forkserver
from pathlib import Path

import pretend_gpu
import pytest

from bench import gpu_blocks
from bench.gpu_blocks import PRELOADED, jobs_of, processes, run_all
from bench.gpu_job import Job
from deepmt.settings.spec import Spec
from deepmt.train.measurements import LoggingIntervals
from tiny import tiny_spec
from tiny_runs import new_dataset

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def pretended(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the processes of the driver have a pretended GPU.

    A process has one server of forks, and other tests preload other modules in theirs.
    """
    if shutil.which("g++") is None:
        pytest.skip("the pretended GPU needs g++")
    library = pretend_gpu.built(request.config.cache.mkdir("pretend_gpu"))
    monkeypatch.setenv("PRETENDED_GPU", str(library))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.setattr(gpu_blocks, "PRELOADED", ["pretended_process", *PRELOADED])
    server = forkserver._forkserver
    preloaded = server._preload_modules
    server._stop()
    yield
    server._stop()
    server.set_forkserver_preload(preloaded)


def job(folder: Path, seed: int, spec: Spec) -> Job:
    """A seed of a tiny run."""
    return Job(
        scale="tiny",
        spec=spec,
        seed=seed,
        dataset=new_dataset(folder / "dataset"),
        folder=folder / "results" / "tiny" / "runs" / spec.run / f"seed{seed}",
        points={"": ["dev", "test"], "update2": ["test"]},
        every=LoggingIntervals(dev_every=2),
    )


def test_runs_end_beside_one_that_is_killed_and_one_that_is_late(tmp_path: Path) -> None:
    short = tiny_spec(
        training__updates=4,
        training__warmup=1,
        training__milestones=(2,),
        training__checkpoint_every=2,
    )
    long = tiny_spec(training__updates=10**6, training__checkpoint_every=10**6)
    late, killed = job(tmp_path, 1, long), job(tmp_path, 2, long)
    jobs = [late, killed, *(job(tmp_path, seed, short) for seed in (1, 2))]

    def kill() -> None:
        while not (killed.folder / "log.jsonl").exists():
            time.sleep(0.1)
        next(p for p in active_children() if p.name == killed.name).kill()

    threading.Thread(target=kill).start()
    finished = run_all(processes(), jobs, at_once=3, deadline=time.monotonic() + 60)
    assert sorted(finished, key=jobs.index) == jobs[2:]
    assert not late.folder.exists()
    assert not killed.folder.exists()
    for each in finished:
        outcome = json.loads((each.folder / "outcome.json").read_text())
        assert outcome["hardware"]["name"] == "pretended GPU"
        assert {str(path.relative_to(each.folder)) for path in each.folder.rglob("hyp.*.txt")} >= {
            "hyp.dev.txt",
            "hyp.test.txt",
            "hyp.test.tok.txt",
            "update2/hyp.test.txt",
        }
        assert not [*each.folder.rglob("*.safetensors"), *each.folder.rglob("*.pt")]


def test_blocks_name_runs_of_scales(tmp_path: Path) -> None:
    blocks = [
        {"scale": "wu2021", "papers": "wu2021", "rows": "wu2021.table1", "seeds": "1,2"},
        {"scale": "toy", "papers": "unified", "rows": "unified.t1.shallow-post", "seeds": "1"},
    ]
    jobs = list(jobs_of(blocks, tmp_path, 0))
    assert [(each.scale, each.seed) for each in jobs] == [
        ("wu2021", 1),
        ("wu2021", 2),
        ("toy", 1),
    ]
    assert jobs[0].points[""] == ["dev", "test", "test_2017_flickr", "test_2017_mscoco"]
