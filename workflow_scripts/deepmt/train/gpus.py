"""The GPUs of a job: those that a scheduler gave it or, on one machine, those that it locks.

Snakemake counts the GPUs of a machine (`--resources gpu=8`) and tells no job which are its own. So
a job locks a file for each GPU that it takes. The operating system ends a lock with the last
process that has the file open: this one, or torchrun, to which it is handed on.
"""

import fcntl
import os
import random
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from tempfile import gettempdir

import torch

VISIBLE = "CUDA_VISIBLE_DEVICES"


def take(count: int) -> tuple[int, ...]:
    """Take `count` GPUs for as long as this process lives, and let CUDA see no others.

    A scheduler that gives a job its GPUs names exactly that many in CUDA_VISIBLE_DEVICES: these are
    taken as they are. Otherwise the first that are free are locked, and where too few are free this
    waits. Call it before CUDA is used.

    Returns the open files that hold them.

    Raises:
        RuntimeError: this machine does not have the GPUs that the job was promised.
    """
    if count == 0:
        return ()
    names = visible()
    given = VISIBLE in os.environ and len(names) == count
    held = {} if given or len(names) < count else lock(names, count)
    if held:
        os.environ[VISIBLE] = ",".join(held)
    if (found := seen()) != count:
        raise RuntimeError(
            f"this job was promised {gpus(count)} on {socket.gethostname()}, torch sees {found}:"
            f" {VISIBLE} is {os.environ.get(VISIBLE, 'not set')}, torch {torch.__version__} is"
            f" built {f'for CUDA {torch.version.cuda}' if torch.version.cuda else 'without CUDA'}."
            " On a cluster look at that node (nvidia-smi) and leave it out until it is mended; on"
            " one machine allow fewer (snakemake --resources gpu=0 computes on the CPU)"
        )
    return tuple(held.values())


def visible() -> list[str]:
    """List the GPUs that this process may use, as CUDA_VISIBLE_DEVICES names them."""
    named = os.environ.get(VISIBLE)
    if named is None:
        return [str(number) for number in range(seen())]
    return [name.strip() for name in named.split(",") if name.strip()]


def seen() -> int:
    """Count the GPUs that torch sees, without starting CUDA."""
    return torch.cuda.device_count()


def lock(names: Sequence[str], count: int) -> dict[str, int]:
    """Lock the first `count` of these GPUs that are free, all or none; wait while fewer are.

    Returns the open file of each.
    """
    reported = False
    while True:
        free = ((name, file) for name in names if (file := locked(name)) is not None)
        held = dict(islice(free, count))
        if len(held) == count:
            return held
        for file in held.values():
            os.close(file)
        if not reported:
            print(
                f"waiting for {gpus(count)}: other jobs have the GPUs {', '.join(names)} of"
                f" {socket.gethostname()}; with `--resources gpu={len(names)}` Snakemake starts no"
                " more jobs than there are GPUs",
                file=sys.stderr,
                flush=True,
            )
            reported = True
        # Two jobs that each hold what the other one lacks do not try again together.
        time.sleep(random.uniform(0.5, 1.5))


def locked(name: str) -> int | None:
    """Return the open file that locks a GPU, or None while another process has it."""
    path = Path(gettempdir()) / f"deepmt-gpu-{socket.gethostname()}-{name}.lock"
    with suppress(FileExistsError):
        made = os.open(path, os.O_CREAT | os.O_EXCL)
        # Whoever else computes here locks the same file.
        os.fchmod(made, 0o644)
        os.close(made)
    file = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    return file


def gpus(count: int) -> str:
    """Write a number of GPUs in words."""
    return f"{count} GPU" + "s" * (count > 1)
