"""Run steps in processes of their own within a time budget, so that one failure leaves the rest."""

import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

Result = dict[str, Any]
Case = tuple[str, Callable[[], Result]]
"""A name, and the function that measures it."""
Step = Callable[[], Iterable[Case]]
Report = Callable[[str, str, float, Result], None]
"""Receives step, case, seconds and result; the result of a failed case has `error`."""

STEP_SECONDS = 90.0
"""Longest time of a step; one that hangs leaves time to the others."""


def run_steps(steps: Mapping[str, Step], budget: float, report: Report) -> None:
    """Run all cases of each step, one after another, and report each when it ends.

    Processes are forked: what is imported stays, but this process must not use the GPU before.
    """
    context, end = get_context("fork"), time.monotonic() + budget
    for name, step in steps.items():
        if time.monotonic() >= end:
            report(name, "", 0.0, {"error": "skipped: out of time"})
            continue
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_run_step, args=(step, sender))
        began = time.monotonic()
        process.start()
        sender.close()
        limit = min(end, began + STEP_SECONDS)
        problem = _receive(receiver, limit, lambda *found, name=name: report(name, *found))
        if problem:
            process.kill()
        process.join()
        if problem is None and process.exitcode:
            problem = f"exit status {process.exitcode}"
        if problem:
            report(name, "", time.monotonic() - began, {"error": problem})


def _receive(
    receiver: Connection, limit: float, report: Callable[[str, float, Result], None]
) -> str | None:
    """Report results until the step ends; return the reason if it does not by `limit`."""
    while receiver.poll(max(0.0, limit - time.monotonic())):
        try:
            report(*receiver.recv())
        except EOFError:
            return None
    return "stopped: out of time"


def _run_step(step: Step, sender: Connection) -> None:
    """Measure the cases of a step; a failed one leaves the others."""
    for name, measure in step():
        began = time.monotonic()
        try:
            result = measure()
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            result = {"error": message, "traceback": traceback.format_exc()}
        sender.send((name, time.monotonic() - began, result))
