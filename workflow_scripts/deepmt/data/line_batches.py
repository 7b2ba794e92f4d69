"""Work on lines of text in several processes, results in the order of the lines."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, count, islice
from multiprocessing import get_context
from typing import Any, TypeVar

LINES = 10_000
"""Lines of a batch: a second or so of work."""
AHEAD = 2
"""Batches that wait for each process: what bounds memory."""

Line = TypeVar("Line")
Result = TypeVar("Result")


def in_batches(
    work: Callable[[list[Line]], Result], lines: Iterable[Line], processes: int, name: object
) -> Iterator[Result]:
    """Yield what `work` makes of each batch of lines, in order; `name` is theirs in messages.

    Processes get the work by forking: what it remembers, each remembers for itself.

    Raises whatever the work raises, with a note of the lines; RuntimeError if a process is killed.
    """
    source = iter(lines)
    batches = zip(count(1, LINES), iter(lambda: list(islice(source, LINES)), []))
    tasks = ((f"{name}, lines {n:,} to {n + len(batch) - 1:,}", batch) for n, batch in batches)
    head = list(islice(tasks, 2))
    if processes == 1 or len(head) < 2:
        yield from (_noted(work, batch, place) for place, batch in chain(head, tasks))
        return
    context = get_context("fork")
    with ProcessPoolExecutor(processes, context, initializer=_hold, initargs=(work,)) as pool:
        waiting: deque[tuple[str, Future[Result]]] = deque()
        try:
            for place, batch in chain(head, tasks):
                waiting.append((place, pool.submit(_work_on, batch, place)))
                if len(waiting) > AHEAD * processes:
                    yield _result(*waiting.popleft())
            while waiting:
                yield _result(*waiting.popleft())
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _result(place: str, future: "Future[Result]") -> Result:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise RuntimeError(
            f"{place}, or soon after: a process working there was killed; the usual cause is"
            " a lack of memory: ask for fewer threads"
        ) from error


_work: Callable[[Any], Any]


def _hold(work: Callable[[Any], Any]) -> None:
    global _work  # the one thing that a process is for
    _work = work


def _work_on(batch: Any, place: str) -> Any:
    return _noted(_work, batch, place)


def _noted(work: Callable[[Any], Result], batch: Any, place: str) -> Result:
    try:
        return work(batch)
    except Exception as error:
        error.add_note(f"This was met in {place}.")
        raise
