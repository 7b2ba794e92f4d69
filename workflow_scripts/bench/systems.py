"""Which systems there are, where they are installed, and how their workers start."""

import os
import sys
from pathlib import Path

from bench.protocol import Task, Worker

ROOT = Path(__file__).parents[2]
OURS = "ours"
IN_OUR_ENVIRONMENT = (OURS, "plain_torch")
PEERS = ("huggingface", "joeynmt", "opennmt", "sockeye", "eole", "marian")
LEFT_OUT = {
    "fairseq": "0.12.2 installs from its sdist only, and on Python 3.11 only with changes to it "
    "(dataclass defaults, C++20, two Cython extensions)"
}


class NotInstalled(Exception):
    """A peer has no environment; the message says why."""


def name_and_precision(system: str, default: str) -> tuple[str, str]:
    """`ours@bfloat16` is the worker `ours` at that precision; without one, the default's.

    Raises:
        ValueError: there is no such worker.
    """
    name, _, precision = system.partition("@")
    if name not in IN_OUR_ENVIRONMENT + PEERS:
        known = ", ".join(IN_OUR_ENVIRONMENT + PEERS)
        raise ValueError(f"--systems {system}: no such system; choose from {known}")
    return name, precision or default


def interpreter(name: str, environments: Path) -> Path:
    """The Python that has this system.

    Raises:
        NotInstalled: nobody has installed it, or pip could not.
    """
    if name in IN_OUR_ENVIRONMENT:
        return Path(sys.executable)
    environment = environments / name
    if not (environment / ".ready").exists():
        log = environment / "install.log"
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        errors = [line for line in lines if line.startswith("ERROR")]
        raise NotInstalled(errors[-1] if errors else f"not installed: make bench PEERS={name}")
    return environment / "bin" / "python"


def start(name: str, task: Task, *, environments: Path, log: Path) -> Worker:
    """A worker process of a system.

    Raises:
        NotInstalled: it has no environment.
        WorkerFailed: it could not build its system.
    """
    flags = [f"--{key}={value}" for key, value in vars(task).items()]
    command = [str(interpreter(name, environments)), "-m", f"bench.workers.{name}", *flags]
    threads = str(task.threads)
    settings = {
        "PYTHONPATH": str(ROOT / "workflow_scripts"),
        "OMP_NUM_THREADS": threads,
        "MKL_NUM_THREADS": threads,
        "HF_HUB_OFFLINE": "1",
    }
    return Worker(command, os.environ | settings, log)
