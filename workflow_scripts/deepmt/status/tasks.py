"""What is made of a seed, file by file, and which of it somebody is making."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from deepmt.status.life import FAR, Moment
from deepmt.status.wanted import Wanted

State = Literal["running", "failed", "stopped", "waiting", "done"]
ORDER: tuple[State, ...] = ("running", "failed", "stopped", "waiting", "done")
"""What a reader wants to see first."""

STAGES = ("initialise", "train", "average", "translate", "score", "record")


@dataclass(frozen=True)
class Task:
    """A job of the workflow: `source` -> `product`, both below the seed's folder."""

    stage: str
    source: str
    product: str
    log: Path
    """Below the root."""


@dataclass(frozen=True)
class Doing:
    """How a task stands."""

    state: State
    stage: str
    silent: float | None = None
    """Seconds since the last sign."""
    note: str = ""


@cache
def tasks(wanted: Wanted) -> tuple[Task, ...]:
    """From first weights to the record, in order."""
    return tuple(_tasks(wanted))


def _tasks(wanted: Wanted) -> Iterator[Task]:
    name = f"{wanted.scale}/{wanted.run}.seed{wanted.seed}"

    def task(stage: str, source: str, product: str, part: str = "") -> Task:
        return Task(stage, source, product, Path("logs", stage, f"{name}{part}.log"))

    yield task("initialise", "../spec.json", "init.safetensors")
    yield task("train", "init.safetensors", "outcome.json")
    for point in wanted.points:
        folder = f"{point}/".removeprefix("/")
        model = f"{folder}model.safetensors"
        yield task("average", "outcome.json", model, point)
        for name_of_set in wanted.sets:
            text = f"{folder}hyp.{name_of_set}.txt"
            scores = f"{folder}scores.{name_of_set}.json"
            yield task("translate", model, text, f"{point}.{name_of_set}")
            yield task("score", text, scores, f"{point}.{name_of_set}")
    if wanted.sets:
        yield task("record", "outcome.json", "record.json")


def missing(root: Path, wanted: Wanted) -> list[Task]:
    """What is still to be made; nothing if the last file is there, whatever was cleared away."""
    folder = root / wanted.folder
    found = tasks(wanted)
    if (folder / found[-1].product).exists():
        return []
    trained = (folder / "outcome.json").exists()
    begin = [t.stage for t in found].index("average" if trained else "initialise")
    return [task for task in found[begin:] if not (folder / task.product).exists()]


def doing(root: Path, wanted: Wanted, task: Task, moment: Moment) -> Doing:
    """What the log of a task says: it is made when the task begins, and few say more."""
    try:
        source = (root / wanted.folder / task.source).stat().st_mtime
        begun = (root / task.log).stat().st_mtime
    except FileNotFoundError:
        return Doing("waiting", task.stage)
    if begun < source:
        return Doing("waiting", task.stage)
    silent = moment.since(begun)
    state: State = "running" if silent < FAR else "failed"
    return Doing(state, task.stage, silent, last_line(root / task.log))


def last_line(path: Path) -> str:
    """Of a log, if there is one."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 4096))
            lines = file.read().decode(errors="replace").splitlines()
    except FileNotFoundError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
