"""Handle signals that ask a job to stop."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class StopRequested(Exception):
    """Report that SIGTERM or SIGINT arrived and the state is saved."""


@contextmanager
def stop_signals() -> Iterator[list[str]]:
    """Yield a list that receives SIGTERM and SIGINT; updates are never interrupted."""
    signals: list[str] = []

    def note(number: int, frame: Any) -> None:
        signals.append(signal.Signals(number).name)

    before = {s: signal.signal(s, note) for s in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
