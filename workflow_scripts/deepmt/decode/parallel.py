"""Run one search in several processes, which is faster for small models on a CPU."""

from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from deepmt.base.errors import UserError
from deepmt.decode.sampler import Sampler
from deepmt.decode.search import SearchResult, search
from deepmt.settings.spec import Decoding

READY: SearchResult = -1, []
"""What a process sends when it has loaded its model."""


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
) -> Iterator[SearchResult]:
    """Search in processes that each load a model and share sentences, batch size and threads.

    Return when all have loaded it, which is no part of the time of a search. Sentences travel as
    one array, since each tensor would take an open file and shared memory.

    Raises:
        UserError: a process failed; its own message is on standard error.
    """
    context = get_context("spawn")
    running: dict[Connection, BaseProcess] = {}
    for first in range(min(workers, len(sentences))):
        share = sentences[first::workers]
        tokens, lengths = torch.cat(share).numpy(), list(map(len, share))
        receiver, sender = context.Pipe(duplex=False)
        process: BaseProcess = context.Process(
            target=send_results,
            args=(sender, max(1, threads // workers), load, tokens, lengths, settings),
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
    results = received_results(running)
    next(results)
    return results


def send_results(
    sender: Connection,
    threads: int,
    load: Callable[[], nn.Module],
    tokens: NDArray[np.int64],
    lengths: list[int],
    settings: Decoding,
    **options: Any,
) -> None:
    """Search in this process: send `READY`, then each translation when it is finished."""
    torch.set_num_threads(threads)
    sentences = torch.from_numpy(tokens).split(lengths)
    results = search(load(), sentences, settings, **options)
    sender.send(READY)
    for result in results:
        sender.send(result)


def received_results(running: dict[Connection, BaseProcess]) -> Iterator[SearchResult]:
    """Yield `READY` when all processes are, then their results; end them at last."""
    try:
        for connection, process in running.items():
            received(connection, process)
        yield READY
        while running:
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)
                found = received(ready, running[ready])
                if found is None:
                    del running[ready]
                else:
                    yield found
    finally:
        for process in running.values():
            process.terminate()


def received(connection: Connection, process: BaseProcess) -> SearchResult | None:
    """Return what a process sends next; None if it ended."""
    try:
        result: SearchResult | None = connection.recv()
        return result
    except EOFError:
        process.join()
        if process.exitcode:
            raise UserError(
                f"a translation process ended with status {process.exitcode} (its message is"
                " above; -9 often means out of memory): run the command again to continue where"
                " it stopped"
            ) from None
        return None
