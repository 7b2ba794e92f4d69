"""Files in shards of whole lines, worked on by several processes, results in the order of lines."""

import io
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import chain, islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol, TypeVar

from deepmt.data.lines import decode_lines, plain_lines, refuse_lengths

LINES = 20_000
"""Lines of a shard: a few megabytes, and a second or so of work."""
AHEAD = 2
"""Shards under way or waiting for each process: what bounds memory."""


class Located(Protocol):
    """What can say where in the corpus it lies."""

    @property
    def where(self) -> str:
        """For messages."""


Task = TypeVar("Task", bound=Located)
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Shard:
    """Bytes `start` to `stop` of a file, which are `count` whole lines from line `first` on."""

    path: Path
    start: int
    stop: int
    first: int
    count: int

    @property
    def where(self) -> str:
        """For messages."""
        return f"{self.path}, lines {self.first:,} to {self.first + self.count - 1:,}"

    def lines(self) -> Iterable[str]:
        """Its lines, under the rules of `decode_lines`."""
        with self.path.open("rb") as stream:
            stream.seek(self.start)
            content = stream.read(self.stop - self.start)
        return plain_lines(content) or decode_lines(
            io.BytesIO(content), str(self.path), first=self.first
        )


@dataclass(frozen=True, slots=True)
class PairShard:
    """The same lines of both sides."""

    source: Shard
    target: Shard

    @property
    def where(self) -> str:
        """For messages."""
        return f"{self.source.where} (and of {self.target.path})"

    def pairs(self) -> Iterator[tuple[int, str, str]]:
        """Line number, source and target."""
        first = self.source.first
        numbers = range(first, first + self.source.count)
        return zip(numbers, self.source.lines(), self.target.lines(), strict=True)


def shards(path: Path) -> Iterator[Shard]:
    """Cut a file; the last shard may be shorter."""
    start, first = 0, 1
    with path.open("rb") as stream:
        while sizes := [len(line) for line in islice(stream, LINES)]:
            yield Shard(path, start, start + sum(sizes), first, len(sizes))
            start, first = start + sum(sizes), first + len(sizes)


def pair_shards(source: Path, target: Path) -> Iterator[PairShard]:
    """Cut both sides after the same lines; raises ValueError, at the end, if one is longer."""
    sides = shards(source), shards(target)
    totals = [0, 0]
    while True:
        pair = [next(side, None) for side in sides]
        counts = [shard.count if shard else 0 for shard in pair]
        totals = [total + count for total, count in zip(totals, counts, strict=True)]
        if counts[0] != counts[1]:
            rest = [sum(shard.count for shard in side) for side in sides]
            refuse_lengths(str(source), totals[0] + rest[0], str(target), totals[1] + rest[1])
        if pair[0] is None or pair[1] is None:
            return
        yield PairShard(pair[0], pair[1])


def in_order(
    work: Callable[[Task], Result], tasks: Iterable[Task], processes: int
) -> Iterator[Result]:
    """Do the work on each task; results come in the tasks' order, whatever the processes do.

    A few tasks only are begun before their turn. Work is handed to processes by forking: what it
    remembers, each process remembers for itself. An error comes with a note of the place; if a
    process is killed, it is a RuntimeError.
    """
    tasks = iter(tasks)
    head = list(islice(tasks, 2))
    if processes == 1 or len(head) < 2:
        yield from (_located(work, task) for task in chain(head, tasks))
        return
    context = get_context("fork")
    with ProcessPoolExecutor(processes, context, initializer=_hold, initargs=(work,)) as pool:
        waiting: deque[tuple[Task, Future[Result]]] = deque()
        try:
            for task in chain(head, tasks):
                waiting.append((task, pool.submit(_do, task)))
                if len(waiting) > AHEAD * processes:
                    yield _result(*waiting.popleft())
            while waiting:
                yield _result(*waiting.popleft())
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _result(task: Task, future: "Future[Result]") -> Result:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise RuntimeError(
            f"{task.where}, or soon after: a process working there was killed; the usual cause is"
            " a lack of memory: ask for fewer threads"
        ) from error


_work: Callable[[Any], Any]


def _hold(work: Callable[[Any], Any]) -> None:
    global _work  # the one thing that a process is for
    _work = work


def _do(task: Any) -> Any:
    return _located(_work, task)


def _located(work: Callable[[Task], Result], task: Task) -> Result:
    try:
        return work(task)
    except Exception as error:
        error.add_note(f"This was met in {task.where}.")
        raise
