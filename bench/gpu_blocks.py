"""Fill one GPU with the small runs of a scale: many at once, each to its end or not at all.

A small model waits for launches, so one run leaves a GPU idle most of the time. Runs are trained
and translated as the workflow's rules do it. `--record` then scores and records them, there or
where they were brought to, for `./deepmt archive`.
"""

import os
import shutil
import subprocess
import tarfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import yaml

from bench.gpu_job import Job, complete, count_updates, record_job
from deepmt.base.cli import run
from deepmt.settings.seed_folder import SeedFolder
from deepmt.settings.strict import CountOrNone, Few, Positive
from deepmt.study.plan import load_plan
from deepmt.study.requested_text import requested_splits
from deepmt.study.scored_points import points_of
from deepmt.train.measurements import LoggingIntervals

ROOT = Path(__file__).parents[1]
DATA = ROOT / "data/encoded"
PRELOADED = ["bench.gpu_job", "torch._dynamo"]
"""Modules that processes share from their start; Muon imports the second."""


def main(
    *,
    blocks: Annotated[Path, "YAML: a list of {scale, papers, rows, seeds}, first things first"],
    output: Annotated[Path, "results/ of the workflow, or a folder to bring there"] = Path(
        "results"
    ),
    minutes: Annotated[Positive, "what is not finished by then is removed"] = 9.0,
    at_once: Annotated[Few, "processes that share the GPU"] = 8,
    mps: Annotated[bool, "let kernels of several processes run at the same time"] = False,
    pilot: Annotated[tuple[Few, ...], "instead, time updates with so many processes at once"] = (),
    seconds: Annotated[Positive, "time of each pilot"] = 10.0,
    updates: Annotated[CountOrNone, "end runs early: a rehearsal; 0 = as their scale says"] = 0,
    record: Annotated[bool, "instead, score and record what is finished in the output"] = False,
    pack: Annotated[Path | None, "write what is finished into this archive, too"] = None,
) -> int:
    """Train and translate the runs of the blocks in order, as many as the time allows."""
    deadline = time.monotonic() + 60 * minutes
    named = list(jobs_of(yaml.safe_load(blocks.read_text()), output, updates))
    if record:
        for job in named:
            if job.paths.output.exists() and not job.paths.files.record.exists():
                record_job(job)
                print(job.name, flush=True)
        return 0
    jobs = [job for job in named if not job.folder.exists()]
    context = processes()
    with multi_process_service() if mps else nullcontext():
        if pilot:
            for number in pilot:
                print(f"{number:3} at once: {time_updates(context, jobs, number, seconds)}")
            return 0
        finished = run_all(context, jobs, at_once, deadline)
    if pack:
        with tarfile.open(pack, "w:xz") as archive:
            archive.add(output, arcname="results")
    print(f"{len(finished)} of {len(jobs)} runs are finished")
    return 0


def processes() -> Any:
    """Return the context of processes that begin with torch and our code imported."""
    context = get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    return context


def jobs_of(blocks: Sequence[dict[str, Any]], output: Path, updates: int) -> Iterator[Job]:
    """Yield the seeds of each block, all runs of a seed before the next."""
    for block in blocks:
        plan = load_plan(ROOT, block)
        requested, results = requested_splits(plan), output / plan.scale.name
        for seed in plan.config.seeds:
            for spec in plan.runs.values():
                if updates:
                    recipe = replace(spec.training, updates=updates, warmup=1, milestones=())
                    spec = replace(spec, training=recipe)
                yield Job(
                    scale=plan.scale.name,
                    spec=spec,
                    seed=seed,
                    dataset=DATA / spec.dataset,
                    folder=SeedFolder.of(results, spec.run, seed).path,
                    points=points_of(plan, spec, requested),
                    every=LoggingIntervals(**plan.scale.intervals),
                )


def run_all(context: Any, jobs: Sequence[Job], at_once: int, deadline: float) -> list[Job]:
    """Run jobs in order, `at_once` at a time, until the deadline; return the finished ones.

    Nothing is left of others.
    """
    began, waiting, running = time.monotonic(), list(jobs), dict[Job, Any]()
    finished = []
    while (waiting or running) and time.monotonic() < deadline:
        while waiting and len(running) < at_once:
            job = waiting.pop(0)
            running[job] = context.Process(target=complete, args=(job,), name=job.name)
            running[job].start()
        for job in [job for job, process in running.items() if not process.is_alive()]:
            status = running.pop(job).exitcode
            if status == 0:
                finished.append(job)
            ended = f"failed, status {status}" if status else "finished"
            print(f"{time.monotonic() - began:6.1f} s  {job.name}: {ended}", flush=True)
        time.sleep(0.05)
    for job, process in running.items():
        process.kill()
        process.join()
        print(f"{job.name}: not finished in time, {job.progress}", flush=True)
    for job in jobs:
        if job not in finished and job.folder.exists():
            shutil.rmtree(job.folder)
    return finished


def time_updates(context: Any, jobs: Sequence[Job], number: int, seconds: float) -> str:
    """Time the first job in several processes at once; return its updates a second in all."""
    ready, counts = context.Barrier(number), context.Queue()
    processes = [
        context.Process(target=count_updates, args=(jobs[0], ready, counts, seconds))
        for _ in range(number)
    ]
    for process in processes:
        process.start()
    found = [counts.get(timeout=seconds + 60) for _ in processes]
    for process in processes:
        process.join()
    return f"{sum(found) / seconds:.1f} updates a second of {jobs[0].spec.run}"


@contextmanager
def multi_process_service() -> Iterator[None]:
    """Run NVIDIA's server that lets kernels of several processes share a GPU."""
    control = ["nvidia-cuda-mps-control"]
    os.environ.setdefault("CUDA_MPS_PIPE_DIRECTORY", "/tmp/mps")
    os.environ.setdefault("CUDA_MPS_LOG_DIRECTORY", "/tmp/mps")
    subprocess.run([*control, "-d"], check=True)
    try:
        yield
    finally:
        subprocess.run(control, input="quit\n", text=True, check=False)


if __name__ == "__main__":
    run(main)
