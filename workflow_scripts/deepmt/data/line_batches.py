"""Process lines of text in parallel, with results in the order of the lines."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, count, islice
from multiprocessing import active_children, get_context
from typing import Any, TypeVar

from deepmt.base.errors import UserError

LINES = 10_000
"""Lines in a batch: about a second of work."""
AHEAD = 2
"""Batches queued for each process; bounds memory."""

Line = TypeVar("Line")
Result = TypeVar("Result")


def in_batches(
    work: Callable[[list[Line]], Result], lines: Iterable[Line], processes: int, name: object
) -> Iterator[Result]:
    """Yield the result of `work` on each batch of lines, in order; messages call them `name`.

    Processes inherit `work` by forking, so each has its own copy of its caches.

    Raises every error of `work`, with a note of the lines; RuntimeError if a process is killed.
    """
    source = iter(lines)
    batches = zip(count(1, LINES), iter(lambda: list(islice(source, LINES)), []))
    tasks = ((f"{name}, lines {n:,} to {n + len(batch) - 1:,}", batch) for n, batch in batches)
    head = list(islice(tasks, 2))
    if processes == 1 or len(head) < 2:
        yield from (_with_note(work, batch, where) for where, batch in chain(head, tasks))
        return
    context = get_context("fork")
    with ProcessPoolExecutor(processes, context, initializer=_hold, initargs=(work,)) as pool:
        _start(pool, f"{name}: cannot start {processes} processes")
        waiting: deque[tuple[str, Future[Result]]] = deque()
        try:
            for where, batch in chain(head, tasks):
                waiting.append((where, pool.submit(_work_on, batch, where)))
                if len(waiting) > AHEAD * processes:
                    yield _result(*waiting.popleft())
            while waiting:
                yield _result(*waiting.popleft())
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _start(pool: ProcessPoolExecutor, fault: str) -> None:
    """Start all processes of a pool; if one fails, end the others, for which Python would wait."""
    others = active_children()
    try:
        pool.submit(int)
    except (OSError, RuntimeError) as error:
        for process in set(active_children()).difference(others):
            process.kill()
        remedy = "use fewer threads, or allow more processes (ulimit -u)"
        raise UserError(f"{fault} ({error}); {remedy}") from error


def _result(where: str, future: "Future[Result]") -> Result:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise UserError(
            f"{where}, or soon after: a worker process was killed, usually for lack of memory;"
            " use fewer threads"
        ) from error


_work: Callable[[Any], Any]


def _hold(work: Callable[[Any], Any]) -> None:
    global _work
    _work = work


def _work_on(batch: Any, where: str) -> Any:
    return _with_note(_work, batch, where)


def _with_note(work: Callable[[Any], Result], batch: Any, where: str) -> Result:
    try:
        return work(batch)
    except Exception as error:
        error.add_note(f"Raised in {where}.")
        raise
