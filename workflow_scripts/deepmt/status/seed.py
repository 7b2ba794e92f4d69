"""How one seed of a run stands, from the files in its folder."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Any

from deepmt.results.attempts import Event, joined
from deepmt.status.life import Moment
from deepmt.status.pace import Pace, pace
from deepmt.status.tail import Tail, read_tail
from deepmt.status.tasks import ORDER, Doing, State, doing, last_line, missing, tasks
from deepmt.status.wanted import Wanted

BROKEN_OFF: dict[str, State] = {"stopped": "stopped", "end": "waiting"}
"""Last event of a log -> what it means if there is no outcome. One that ended and has none is to be
trained again; whatever else stands last, nobody was asked to stop."""


@dataclass(frozen=True, kw_only=True)
class Seed:
    """One seed; what cannot be known is None or empty."""

    wanted: Wanted
    state: State
    stage: str = ""
    """What is done, or next to be done; empty if all is."""
    todo: tuple[str, ...] = ()
    """Stages of all that is missing, one for each file."""
    update: int = 0
    saved: int = 0
    """Update from which it would go on if it broke off now."""
    loss: float | None = None
    pace: Pace | None = None
    took: float | None = None
    """Seconds of the whole training, if it is over."""
    busy: tuple[float, float] = (0.0, 0.0)
    """Seconds ago at which the last attempt at training began, and ended."""
    since: float | None = None
    """When the last attempt at training began, by the clock of its host."""
    host: str = ""
    attempt: int = 0
    silent: float | None = None
    """Seconds since the last sign of whoever works or worked at it."""
    diverged: str = ""
    """At which update, and why."""
    note: str = ""

    @property
    def updates(self) -> int:
        """All that its recipe asks for."""
        return self.wanted.spec.training.updates

    @property
    def untrained(self) -> bool:
        """Whether there is no outcome yet."""
        return "train" in self.todo


def look(root: Path, wanted: Wanted, moment: Moment) -> Seed:
    """How a seed stands."""
    open_tasks = missing(root, wanted)
    todo = tuple(task.stage for task in open_tasks)
    if "train" in todo and (tail := tail_of(root, wanted)) is not None:
        return training(root, wanted, moment, tail, todo)
    found = [doing(root, wanted, task, moment) for task in open_tasks]
    now = min(found, key=lambda each: ORDER.index(each.state), default=Doing("done", ""))
    path = root / wanted.folder / "outcome.json"
    outcome = read_outcome(path, moment) if "train" not in todo else {}
    return Seed(wanted=wanted, todo=todo, **vars(now) | outcome)


def tail_of(root: Path, wanted: Wanted) -> Tail | None:
    """The end of its log, if training began."""
    try:
        return read_tail(root / wanted.folder / "log.jsonl")
    except FileNotFoundError:
        return None


def training(root: Path, wanted: Wanted, moment: Moment, tail: Tail, todo: tuple[str, ...]) -> Seed:
    """A seed that has a log and no outcome."""
    folder = root / wanted.folder
    events = joined(tail.events)
    opening = tail.opening or {}
    host = opening.get("host")
    speed = pace(tail.events)
    silent = moment.since(tail.changed)
    log = root / next(task.log for task in tasks(wanted) if task.stage == "train")
    state = BROKEN_OFF.get(tail.last, "failed")
    patience = moment.patience(host, speed.seconds if speed else 0.0)
    if (
        moment.holds(folder / "lock")
        or (tail.last not in BROKEN_OFF and silent < patience)
        or begins_again(log, tail, moment)
    ):
        state = "running"
    saved = newest_state(folder / "resume")
    lasted = max(0.0, tail.events[-1]["time"] - opening["time"]) if opening else 0.0
    return Seed(
        wanted=wanted,
        state=state,
        stage="train",
        todo=todo,
        update=max([saved, *(event["update"] for event in events)]),
        saved=saved,
        loss=last_loss(events),
        pace=speed,
        since=opening.get("time"),
        host=str(host or ""),
        attempt=tail.events[-1]["attempt"] if tail.events else 0,
        silent=silent,
        busy=(silent + lasted, 0.0 if state == "running" else silent),
        note=last_line(log) if state == "failed" else "",
    )


def begins_again(log: Path, tail: Tail, moment: Moment) -> bool:
    """Whether a job has emptied its log since and said nothing yet: it takes seconds to start."""
    try:
        found = log.stat()
    except FileNotFoundError:
        return False
    young = moment.since(found.st_mtime) < moment.patience(None, 0.0)
    return young and not found.st_size and found.st_mtime > tail.changed


def newest_state(folder: Path) -> int:
    """Update of the newest checkpoint; 0 if there is none."""
    numbers = [path.name.split("-")[1] for path in folder.glob("state-*-*.pt")]
    return max((int(number) for number in numbers if number.isdigit()), default=0)


def last_loss(events: Sequence[Event]) -> float | None:
    """Of the last line that tells one."""
    told = [value for event in events if isinstance(value := event.get("loss"), int | float)]
    return float(told[-1]) if told and isfinite(told[-1]) else None


def read_outcome(path: Path, moment: Moment) -> dict[str, Any]:
    """Fields of a seed that is trained, none if its outcome was cleared away after its record."""
    try:
        found = json.loads(path.read_text())
        ago, took = moment.since(path.stat().st_mtime), seconds_of(found)
        ended = {
            "update": found["updates"],
            "loss": found["train_loss"],
            "attempt": found["attempts"],
            "took": took,
            "busy": (ago + took, ago),
        }
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError) as error:
        note = f"outcome.json is damaged ({error!r}): delete it and run the workflow again"
        return {"state": "failed", "stage": "train", "note": note}
    if why := found.get("diverged"):
        ended["diverged"] = f"at update {why['update']}: {why['reason']}"
    return ended


def seconds_of(outcome: dict[str, Any]) -> float:
    """Of the whole training: with looks and checkpoints, if it was never broken off."""
    begin, end = (datetime.fromisoformat(outcome[key]) for key in ("started", "finished"))
    inside = float(outcome["train_seconds"])
    return max(inside, (end - begin).total_seconds()) if outcome["attempts"] == 1 else inside
