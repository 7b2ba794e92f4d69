"""One search in several processes: on a CPU, steps of a small model wait less for each other."""

from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

import torch
from torch import Tensor, nn

from deepmt.config.spec import Decoding
from deepmt.decode.sampler import Sampler
from deepmt.decode.search import Found, search


def search_in_parallel(
    load: Callable[[], nn.Module],
    sentences: Sequence[Tensor],
    settings: Decoding,
    *,
    batch_size: int,
    numbers: Sequence[int],
    workers: int,
    threads: int,
    sampler: Sampler | None = None,
) -> Iterator[Found]:
    """Search in processes that each load a model and share sentences, batch size and threads.

    Raises:
        RuntimeError: one of them failed; its own message is on standard error.
    """
    context = get_context("spawn")
    running: dict[Connection, BaseProcess] = {}
    for first in range(min(workers, len(sentences))):
        receiver, sender = context.Pipe(duplex=False)
        process: BaseProcess = context.Process(
            target=send_found,
            args=(sender, max(1, threads // workers), load, sentences[first::workers], settings),
            kwargs={
                "batch_size": -(-batch_size // workers),
                "numbers": numbers[first::workers],
                "sampler": sampler,
            },
            daemon=True,
        )
        process.start()
        sender.close()
        running[receiver] = process
    try:
        yield from received(running)
    finally:
        for process in running.values():
            process.terminate()


def send_found(
    found: Connection,
    threads: int,
    load: Callable[[], nn.Module],
    sentences: Sequence[Tensor],
    settings: Decoding,
    **options: Any,
) -> None:
    """Search in this process; send every translation as it is finished."""
    torch.set_num_threads(threads)
    for each in search(load(), sentences, settings, **options):
        found.send(each)


def received(running: dict[Connection, BaseProcess]) -> Iterator[Found]:
    """Yield what the processes send until each has ended; those that have leave `running`."""
    while running:
        for connection in wait(list(running)):
            assert isinstance(connection, Connection)
            try:
                yield connection.recv()
            except EOFError:
                process = running.pop(connection)
                process.join()
                if process.exitcode:
                    raise RuntimeError(
                        f"one of the processes that translate ended with status {process.exitcode}"
                        " (its message is above; -9 is a lack of memory): run this again, it"
                        " goes on where it was"
                    ) from None
