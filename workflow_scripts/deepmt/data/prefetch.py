"""Work done one step ahead, in a thread of its own."""

from collections.abc import Generator, Iterable
from contextlib import suppress
from queue import Full, Queue
from threading import Event, Thread
from typing import TypeVar

Item = TypeVar("Item")
AHEAD = 4
POLL_SECONDS = 0.1


def prefetch(items: Iterable[Item]) -> Generator[Item, None, None]:
    """The same items in the same order, some made before they are asked for.

    Whoever leaves early waits for the item that is being made: a thread that still computes when
    the interpreter ends takes the process down with it.

    Raises:
        Exception: whatever making an item raised, when its turn comes.
    """
    ready: Queue[tuple[Item | None, BaseException | None]] = Queue(AHEAD)
    left = Event()

    def put(item: Item | None, error: BaseException | None) -> None:
        while not left.is_set():
            with suppress(Full):
                ready.put((item, error), timeout=POLL_SECONDS)
                return

    def work() -> None:
        try:
            for item in items:
                put(item, None)
                if left.is_set():
                    return
            put(None, StopIteration())
        except BaseException as error:
            put(None, error)

    thread = Thread(target=work, daemon=True, name="prefetch")
    thread.start()
    try:
        while True:
            item, error = ready.get()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            yield item  # type: ignore[misc]
    finally:
        left.set()
        thread.join()
