"""Distribute every update over several processes; torchrun starts them, one per GPU."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import torch
from torch import Tensor, distributed

SECONDS_TO_SAVE = 110
"""From SIGTERM to SIGKILL: ten seconds less than with Slurm (docs/clusters.md). The default of
torchrun is 30, which may be too short to write a large model."""

LONGEST_WAIT = timedelta(minutes=30)
"""How long a worker waits for another one, while the first may choose weights by their perplexity.
NCCL's default is 10. torchrun ends all at once if one has died."""


@dataclass(frozen=True)
class Workers:
    """Hold the rank of this process and the number of processes; with one, methods do nothing."""

    rank: int = 0
    size: int = 1

    @property
    def writes(self) -> bool:
        """Check if this process writes files; only the first does."""
        return self.rank == 0

    def shard(self, rows: int) -> slice:
        """Return this worker's consecutive rows of a batch; sizes differ by at most one."""
        return slice(rows * self.rank // self.size, rows * (self.rank + 1) // self.size)

    def all_reduce(self, tensors: list[Tensor]) -> None:
        """Replace each tensor by its sum over all workers, identical on each, without a copy."""
        if self.size > 1:
            for tensor in tensors:
                distributed.all_reduce(tensor)

    def gather(self, value: int) -> list[int]:
        """Return the value of every worker, by rank."""
        values = [value] * self.size
        if self.size > 1:
            distributed.all_gather_object(values, value)
        return values

    def wait(self) -> None:
        """Wait until all workers reach this call."""
        if self.size > 1:
            distributed.barrier()


def is_worker() -> bool:
    """Check if torchrun started this process."""
    return "WORLD_SIZE" in os.environ


def launch(command: list[str], size: int, lock_files: Sequence[int] = ()) -> int:
    """Run a script in `size` processes of this machine by torchrun; return its exit status.

    Signals are forwarded to the workers, which agree on the update at which all stop. torchrun
    inherits the open `lock_files`, so GPUs stay locked even if this process is killed.
    """
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    # All meet at this address: the name of a machine may have none.
    flags = ["--local-addr", "127.0.0.1", "--nproc-per-node", str(size)]
    flags += ["--shutdown-timeout", str(SECONDS_TO_SAVE)]
    process = subprocess.Popen([*torchrun, *flags, *command], pass_fds=lock_files)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: process.send_signal(number))
    return process.wait()


@contextmanager
def workers(device: str) -> Iterator[Workers]:
    """Join the group that torchrun describes in the environment, or yield a single worker."""
    if not is_worker():
        yield Workers()
        return
    backend, own = "gloo", None
    if torch.device(device).type == "cuda":
        backend, own = "nccl", torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(own)
    distributed.init_process_group(backend, timeout=LONGEST_WAIT, device_id=own)
    try:
        yield Workers(distributed.get_rank(), distributed.get_world_size())
    finally:
        distributed.destroy_process_group()
