"""Say which trainings were killed or asked to stop, from what Snakemake logged about its jobs."""

import re
import resource
import time
from collections.abc import Iterator
from pathlib import Path

from deepmt.base.printable import printable
from deepmt.machines.seed_status import SeedStatus, read_seed

FAILED = re.compile(r"^Error in rule train:\n((?: .*\n)+)", re.MULTILINE)
KILLED = re.compile(
    r"<Signals\.SIGKILL: 9>"  # Snakemake's own job
    r"|exit status 137"  # a job in a container
    r"|\(SIGKILL\)"  # a worker, by torchrun
    r"|OUT_OF_MEMORY|oom.?kill",  # a job on a cluster, by Slurm
    re.IGNORECASE,
)
REMEDY = (
    "run again, it resumes, with fewer jobs at once (--resources mem_mb=8000), fewer workers, a"
    " smaller device batch (train.py --micro-tokens, docs/options.md) or on a larger machine"
)


def largest_child_mb() -> int:
    """Return the largest memory of an ended process that this one started, also indirectly."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 2**10


def broken_off(said: str, root: Path, largest_mb: int = 0) -> Iterator[str]:
    """Yield a sentence for each training without an outcome that was killed or asked to stop.

    `said` is Snakemake's log; `largest_mb` is the largest memory that a process of its jobs held,
    0 if they ran elsewhere.
    """
    for folder, job in _failed(said).items():
        if (root / folder / "outcome.json").exists():
            continue
        seed = read_seed(root / folder, time.time())
        named = rf"^Command .*{re.escape(folder)}/outcome\.json.*$"
        command = re.findall(named, said, re.MULTILINE)[-1:]
        if KILLED.search("\n".join([*command, job, *_logs(job, root)])):
            ended = _killed(_asked_mb(said, folder), largest_mb)
        elif seed.state == "stopped":
            ended = "was asked to stop, and saved, after {}; run again to go on"
        else:
            continue
        name = f"{seed.run} seed {seed.seed}"
        yield printable(f"{name} {ended.format(_reached(seed, root / folder))}")


def _failed(said: str) -> dict[str, str]:
    """Return the folders of the trainings that failed, each with the error of its last job."""
    found = {}
    for job in FAILED.findall(said):
        if output := re.search(r"^ +output: (\S+)/outcome\.json", job, re.MULTILINE):
            found[output[1]] = job
    return found


def _logs(job: str, root: Path) -> Iterator[str]:
    """Yield the logs that an error names: its rule's, and a cluster's."""
    if named := re.search(r"^ +log: (.*) \(check log", job, re.MULTILINE):
        for path in (root / name for name in named[1].split(", ")):
            if path.is_file():
                yield path.read_text(errors="replace")


def _asked_mb(said: str, folder: str) -> str:
    """Return the memory that the last job asked for, or ""."""
    job = rf"^ +output: {re.escape(folder)}/outcome\.json\n(?: .*\n)*? +resources: .*\bmem_mb=(\d+)"
    return next(iter(re.findall(job, said, re.MULTILINE)[-1:]), "")


def _killed(asked_mb: str, largest_mb: int) -> str:
    """Return how a training was killed, with {} where its update belongs."""
    known = [f"its job asked for {int(asked_mb):,} MB"] if asked_mb else []
    known += [f"the largest process of all jobs held {largest_mb:,} MB"] if largest_mb else []
    return (
        "was killed (SIGKILL, exit 137), most often for memory, after"
        f" {{}}{': ' * bool(known)}{', '.join(known)}; {REMEDY}"
    )


def _reached(seed: SeedStatus, folder: Path) -> str:
    """Return the last update that is logged or saved, and how many there are."""
    saved = [int(path.name.split("-")[1]) for path in folder.glob("resume/state-*-*.pt")]
    whole = f" of {seed.updates:,}" if seed.updates else ""
    return f"update {max(seed.update or 0, *saved, 0):,}{whole}"
