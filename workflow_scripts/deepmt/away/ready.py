"""What must be there before anything trains: GPUs, files, and what the scripts import."""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from deepmt.away.commands import FLAGS, Seed

SCRIPTS = Path(__file__).parents[2]
VISIBLE = "CUDA_VISIBLE_DEVICES"


def lent_gpus(count: int) -> list[str]:
    """Names of so many GPUs: the first ones that CUDA_VISIBLE_DEVICES lets us see.

    Raises:
        ValueError: it names fewer.
    """
    named = os.environ.get(VISIBLE, ",".join(map(str, range(count))))
    names = [name.strip() for name in named.split(",") if name.strip()]
    if len(names) < count:
        raise ValueError(f"--gpus {count}: {VISIBLE}={named} names {len(names)}: ask for no more")
    return names[:count]


def missing_files(seeds: Iterable[Seed]) -> list[str]:
    """What the seeds read and none of their steps makes."""
    return sorted({str(path) for seed in seeds for path in seed.inputs() if not path.exists()})


def broken_import() -> str:
    """Why the scripts of a seed cannot be imported; empty if all can."""
    code = f"import sys; sys.path.insert(0, {str(SCRIPTS)!r}); import {', '.join(FLAGS)}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.stderr.strip().rpartition("\n")[2] if done.returncode else ""
