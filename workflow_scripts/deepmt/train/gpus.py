"""Acquire the GPUs of a job: those that a scheduler assigned or, on one machine, locked ones.

Snakemake counts the GPUs of a machine (`--resources gpu=8`) but does not assign them to jobs. So a
job locks a file for each GPU that it uses. The operating system releases the lock when the last
process that has the file open ends: this one or torchrun, which inherits it.
"""

import fcntl
import os
import random
import socket
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from tempfile import gettempdir

import torch

from deepmt.base.errors import UserError
from deepmt.base.files import if_supported
from deepmt.base.printable import say

VISIBLE = "CUDA_VISIBLE_DEVICES"


def acquire_gpus(count: int) -> tuple[int, ...]:
    """Acquire `count` GPUs for the life of this process, and hide all others from CUDA.

    If a scheduler assigned the GPUs, CUDA_VISIBLE_DEVICES names exactly that many, and they are
    used. Otherwise lock the first free ones, and wait while too few are free. Call this before
    CUDA is used.

    Returns the open lock files.

    Raises:
        UserError: this machine does not have the GPUs that the job requested.
    """
    if count == 0:
        return ()
    names = visible_gpus()
    assigned = VISIBLE in os.environ and len(names) == count
    locks = {} if assigned or len(names) < count else lock(names, count)
    if locks:
        os.environ[VISIBLE] = ",".join(locks)
    if (found := gpu_count()) != count:
        raise UserError(
            f"this job needs {gpus(count)} on {socket.gethostname()}, but torch sees {found}:"
            f" {VISIBLE} is {os.environ.get(VISIBLE, 'not set')}, torch {torch.__version__} is"
            f" built {f'for CUDA {torch.version.cuda}' if torch.version.cuda else 'without CUDA'}."
            " On a cluster, check this node with nvidia-smi and exclude it until it is repaired;"
            " on one machine, allow fewer GPUs (snakemake --resources gpu=0 runs on the CPU)"
        )
    return tuple(locks.values())


def visible_gpus() -> list[str]:
    """List the GPUs that this process may use, as CUDA_VISIBLE_DEVICES names them."""
    named = os.environ.get(VISIBLE)
    if named is None:
        return [str(number) for number in range(gpu_count())]
    return [name.strip() for name in named.split(",") if name.strip()]


def gpu_count() -> int:
    """Count the GPUs that torch sees, without initialising CUDA."""
    return torch.cuda.device_count()


def lock(names: Sequence[str], count: int) -> dict[str, int]:
    """Lock the first `count` free GPUs, all or none; wait while too few are free.

    Returns the open file of each.
    """
    reported = False
    while True:
        free = ((name, file) for name in names if (file := locked(name)) is not None)
        locks = dict(islice(free, count))
        if len(locks) == count:
            return locks
        for file in locks.values():
            os.close(file)
        if not reported:
            say(
                f"waiting for {gpus(count)}: other jobs use the GPUs {', '.join(names)} of"
                f" {socket.gethostname()}; with `--resources gpu={len(names)}` Snakemake starts no"
                " more jobs than there are GPUs"
            )
            reported = True
        # Random, so that two jobs that block each other do not retry at the same time.
        time.sleep(random.uniform(0.5, 1.5))


def locked(name: str) -> int | None:
    """Return the open file that locks a GPU, or None if another process has locked it."""
    path = Path(gettempdir()) / f"deepmt-gpu-{socket.gethostname()}-{name}.lock"
    with suppress(FileExistsError):
        made = os.open(path, os.O_CREAT | os.O_EXCL)
        # Other users of this machine lock the same file.
        with if_supported():
            os.fchmod(made, 0o644)
        os.close(made)
    # Not waiting for a writer, should anyone have put a pipe here.
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        raise UserError(f"{path} locks a GPU, but is not a regular file: remove it")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    except OSError as error:
        raise UserError(
            f"{path}: cannot lock it ({error.strerror}), and two jobs might take one GPU: set"
            " TMPDIR to a folder of this machine"
        ) from None
    return file


def gpus(count: int) -> str:
    """Return a number of GPUs in words."""
    return f"{count} GPU" + "s" * (count > 1)
