"""Compute items ahead of time in a separate thread."""

from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
AHEAD = 4


def prefetch(items: Iterable[Item]) -> Generator[Item, None, None]:
    """Yield the same items in the same order, computing some before they are requested.

    Closing early waits for the item in progress: a thread that still computes when the interpreter
    exits crashes the process. An error is raised in place of its item.
    """
    source, end = iter(items), object()
    pool = ThreadPoolExecutor(1, thread_name_prefix="prefetch")
    try:
        waiting = deque(pool.submit(next, source, end) for _ in range(AHEAD))
        while (item := waiting.popleft().result()) is not end:
            waiting.append(pool.submit(next, source, end))
            yield item  # type: ignore[misc]
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
