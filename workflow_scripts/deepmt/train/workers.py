"""Several processes that share every update; torchrun starts them, one a GPU."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, distributed

SECONDS_TO_SAVE = 110
"""From SIGTERM to SIGKILL: ten less than Slurm gives (docs/clusters.md); by itself torchrun gives
30, in which a large model may not be written."""


@dataclass(frozen=True)
class Workers:
    """The number of this process and of all; alone, its methods do nothing."""

    rank: int = 0
    size: int = 1

    @property
    def writes(self) -> bool:
        """Whether this process writes files: only the first one does."""
        return self.rank == 0

    def share(self, rows: int) -> slice:
        """Return this worker's rows of a batch: consecutive, in sizes that differ by one."""
        return slice(rows * self.rank // self.size, rows * (self.rank + 1) // self.size)

    def add_up(self, tensors: list[Tensor]) -> None:
        """Replace each tensor by its sum over all workers, the same bits everywhere."""
        if self.size == 1:
            return
        flat = torch.cat([tensor.flatten() for tensor in tensors])
        distributed.all_reduce(flat)
        for tensor, total in zip(
            tensors, flat.split([tensor.numel() for tensor in tensors]), strict=True
        ):
            tensor.copy_(total.view_as(tensor))

    def wait(self) -> None:
        """Wait until all workers are here."""
        if self.size > 1:
            distributed.barrier()


def is_worker() -> bool:
    """Return whether torchrun started this process."""
    return "WORLD_SIZE" in os.environ


def launch(command: list[str], size: int, held: Sequence[int] = ()) -> int:
    """Run a script in `size` processes of this machine by torchrun; return its exit status.

    Signals go on to the workers, which decide at which update all of them stop. The open files
    `held` go to torchrun, so that GPUs stay locked even when this process is killed.
    """
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    flags = ["--nproc-per-node", str(size), "--shutdown-timeout", str(SECONDS_TO_SAVE)]
    process = subprocess.Popen([*torchrun, *flags, *command], pass_fds=held)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: process.send_signal(number))
    return process.wait()


@contextmanager
def workers(device: str) -> Iterator[Workers]:
    """Join the group that torchrun described in the environment, or stay alone."""
    if not is_worker():
        yield Workers()
        return
    on_gpu = torch.device(device).type == "cuda"
    if on_gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    distributed.init_process_group("nccl" if on_gpu else "gloo")
    try:
        yield Workers(distributed.get_rank(), distributed.get_world_size())
    finally:
        distributed.destroy_process_group()
