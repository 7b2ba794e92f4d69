"""One search in several processes: on a CPU, steps of a small model wait less for each other."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

import torch
from torch import Tensor, nn

from deepmt.config.spec import Decoding
from deepmt.decode.beam import Choose, Hypothesis, likeliest, search

Found = tuple[int, list[Hypothesis]]


@dataclass(frozen=True, kw_only=True)
class Share:
    """What one of several searches translates, and with how much of the machine."""

    load: Callable[[], nn.Module]
    sentences: Sequence[Tensor]
    numbers: Sequence[int]
    settings: Decoding
    places: int
    choose: Choose
    threads: int

    def search(self, found: Connection) -> None:
        """Load the model and send every translation as it is finished."""
        torch.set_num_threads(self.threads)
        for each in search(
            self.load(),
            self.sentences,
            self.settings,
            places=self.places,
            numbers=self.numbers,
            choose=self.choose,
        ):
            found.send(each)


def search_in_parallel(
    load: Callable[[], nn.Module],
    sentences: Sequence[Tensor],
    settings: Decoding,
    *,
    places: int,
    numbers: Sequence[int],
    workers: int,
    threads: int,
    choose: Choose = likeliest,
) -> Iterator[Found]:
    """As `search`, by processes that each load a model and divide sentences, places and threads.

    Raises:
        RuntimeError: one of them failed; its own message is on standard error.
    """
    context = get_context("spawn")
    running: dict[Connection, BaseProcess] = {}
    for first in range(min(workers, len(sentences))):
        share = Share(
            load=load,
            sentences=sentences[first::workers],
            numbers=numbers[first::workers],
            settings=settings,
            places=-(-places // workers),
            choose=choose,
            threads=max(1, threads // workers),
        )
        receiver, sender = context.Pipe(duplex=False)
        process: BaseProcess = context.Process(target=share.search, args=(sender,), daemon=True)
        process.start()
        sender.close()
        running[receiver] = process
    try:
        yield from received(running)
    finally:
        for process in running.values():
            process.terminate()


def received(running: dict[Connection, BaseProcess]) -> Iterator[Found]:
    """What the processes send until each of them has ended; those that have leave `running`."""
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
                        " (its message stands above; -9 is a lack of memory): run this again, it"
                        " goes on where it was"
                    ) from None
