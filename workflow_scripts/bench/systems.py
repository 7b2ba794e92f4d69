"""Where the systems are installed, and how their workers start."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from bench.protocol import Task, Worker

ROOT = Path(__file__).parents[2]
OURS = "ours"
OWN = ""
"""The environment that runs this file."""
ENVIRONMENTS = ("huggingface", "joeynmt", "opennmt", "sockeye", "eole", "marian")
"""Those of the peers, each with packages of its own."""
FAIRSEQ = (
    "0.12.2 installs from its sdist only, and on Python 3.11 only with changes to it "
    "(dataclass defaults, C++20, two Cython extensions)"
)

Systems = Mapping[str, str]
"""System -> the environment that it is installed in."""


class Unavailable(Exception):
    """A system cannot run here; the message says why."""


def name_and_precision(system: str, default: str, known: Systems) -> tuple[str, str]:
    """`ours@bfloat16` is the worker `ours` at that precision; without one, the default's.

    Raises:
        ValueError: there is no such worker.
    """
    name, _, precision = system.partition("@")
    if name not in known:
        raise ValueError(f"--systems {system}: no such system; choose from {', '.join(known)}")
    return name, precision or default


def interpreter(environment: str, environments: Path) -> Path:
    """The Python of an environment.

    Raises:
        Unavailable: nobody has installed it, or pip could not.
    """
    if environment == OWN:
        return Path(sys.executable)
    folder = environments / environment
    if not (folder / ".ready").exists():
        log = folder / "install.log"
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        errors = [line for line in lines if line.startswith("ERROR")]
        raise Unavailable(
            errors[-1] if errors else f"not installed: make bench PEERS={environment}"
        )
    return folder / "bin" / "python"


def start(module: str, python: Path, task: Task, log: Path) -> Worker:
    """A worker process.

    Raises:
        WorkerFailed: it could not build its system.
    """
    flags = [f"--{key}={value}" for key, value in vars(task).items()]
    return Worker([str(python), "-m", module, *flags], variables(task.threads), log)


def variables(threads: int) -> dict[str, str]:
    """Of the environment that a system's process runs in."""
    return os.environ | {
        "PYTHONPATH": str(ROOT / "workflow_scripts"),
        "OMP_NUM_THREADS": str(threads),
        "MKL_NUM_THREADS": str(threads),
        "HF_HUB_OFFLINE": "1",
    }
