"""Determine the state of every seed below results/ from its log.jsonl."""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, Literal, get_args

from deepmt.base.files import visible
from deepmt.base.printable import printable
from deepmt.machines.seeds_ahead import SeedsAhead
from deepmt.measured.attempts import Event, events_of, merge_attempts, sections
from deepmt.measured.collapse import collapse
from deepmt.settings.seed_folder import SeedFolder, seeds_in

State = Literal[
    "running", "silent", "stopped", "waiting", "diverged", "stalled", "collapsed", "finished"
]
"""In display order."""
STATES: tuple[State, ...] = get_args(State)
UNDER_WAY = STATES[:3]
"""Of trainings that have begun and have no result."""
SILENCE = 600.0
"""Seconds without a new line after which a run is considered failed."""
SILENT_UPDATES = 30
"""Runs with slow updates are allowed the time of this many updates instead."""
RECENT = 20
"""Lines of progress that the pace is computed from."""


@dataclass(frozen=True, kw_only=True)
class SeedStatus:
    """Hold the state of one seed; unknown values are None or empty."""

    scale: str
    run: str
    seed: int
    state: State
    age: float | None = None
    """Seconds since the log was last written."""
    update: int | None = None
    updates: int | None = None
    """Updates of the whole run."""
    loss: float | None = None
    update_seconds: float | None = None
    tokens_per_second: float | None = None
    host: str = ""
    note: str = ""
    """Why it did not finish."""
    hours: float | None = None
    """GPU or core hours of the whole training by estimate, if the last start was to train it."""
    unit: str = ""
    """Of the hours."""


def survey(root: Path, scale: str = "*") -> list[SeedStatus]:
    """Read every seed of a scale; return those that need attention first."""
    now = time.time()
    scales = visible(root, f"results/{scale}")
    found = [status for results in scales for status in _seeds_of(results, now)]
    return sorted(found, key=lambda seed: STATES.index(seed.state))


def _seeds_of(results: Path, now: float) -> Iterator[SeedStatus]:
    """Yield the seeds that have a folder, and those that the last start is to train."""
    ahead = SeedsAhead.in_results(results)
    asked = {SeedFolder.of(results, one.run, one.seed): one for one in ahead.seeds}
    begun = [seed for seed in seeds_in(results) if seed.is_numbered]
    for seed in dict.fromkeys([*begun, *asked]):
        status = read_seed(seed, now)
        if one := asked.get(seed):
            updates = status.updates or one.updates
            status = replace(status, updates=updates, hours=one.hours, unit=ahead.unit)
        yield status


def broken_off(root: Path, scale: str, since: float) -> Iterator[str]:
    """Yield a sentence for each training that has been under way since a time and has no result."""
    for seed in survey(root, scale):
        if seed.state in UNDER_WAY and (seed.age or 0.0) <= time.time() - since:
            how = "was asked to stop, and saved," if seed.state == "stopped" else "broke off"
            of = f" of {seed.updates:,}" if seed.updates else ""
            reached = f"after update {seed.update:,}{of}"
            yield printable(f"{seed.run} seed {seed.seed} {how} {reached}; run again to go on")


def read_seed(seed: SeedFolder, now: float) -> SeedStatus:
    """Read the folder of a seed."""
    try:
        with seed.log.open("rb") as file:
            # From the open file: on NFS, a path may return attributes a minute old.
            log = os.fstat(file.fileno())
    except FileNotFoundError:
        return _status(seed, "waiting")
    found, age = _read(seed, log.st_mtime, log.st_size), max(0.0, now - log.st_mtime)
    silent = age >= max(SILENCE, SILENT_UPDATES * (found.update_seconds or 0.0))
    state = "silent" if silent and found.state == "running" else found.state
    return replace(found, age=age, state=state)


def _status(seed: SeedFolder, state: State, **known: Any) -> SeedStatus:
    return SeedStatus(scale=seed.results.name, run=seed.run, seed=seed.seed, state=state, **known)


@cache
def _read(seed: SeedFolder, changed: float, size: int) -> SeedStatus:
    """Return what a log says; it is read again only if it has changed."""
    events = list(events_of(seed.log.read_bytes()))
    last = events[-1] if events else {}
    state: State = "stopped" if last.get("event") == "stopped" else "running"
    state, note = last.get("outcome", state), last.get("reason", "")
    if state == "finished" and (found := collapse(sections(events))):
        state, note = "collapsed", f"since update {found[0]}: {found[1]}"
    start = next((event for event in reversed(events) if event["event"] == "start"), {})
    kept = merge_attempts(events)
    losses = [event["loss"] for event in kept if event.get("loss") is not None]
    seconds, tokens = pace(kept)
    return _status(
        seed,
        state,
        update=kept[-1]["update"] if kept else 0,
        updates=start.get("updates"),
        loss=losses[-1] if losses and isfinite(losses[-1]) else None,
        update_seconds=seconds,
        tokens_per_second=tokens,
        host=start.get("host", ""),
        note=note,
    )


def pace(events: Sequence[Event]) -> tuple[float | None, float | None]:
    """Return seconds an update and target tokens a second, of the last lines of one attempt."""
    known = [event for event in events if {"target_tokens", "time", "attempt"} <= event.keys()]
    recent = [event for event in known if event["attempt"] == known[-1]["attempt"]][-RECENT:]
    if len(recent) < 2:
        return None, None
    keys = ("time", "update", "target_tokens")
    seconds, updates, tokens = (recent[-1][key] - recent[0][key] for key in keys)
    if min(seconds, updates) <= 0:
        return None, None
    return seconds / updates, tokens / seconds
