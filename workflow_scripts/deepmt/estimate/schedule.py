"""When everything would be done: list scheduling of seeds on machines alike, longest way first."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache


@dataclass(frozen=True, kw_only=True)
class Task:
    """One seed of a run from training to translation, on one machine."""

    name: str
    hours: float
    after: tuple[str, ...] = ()
    """Tasks that must end first."""


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """What a greedy schedule takes, and what none can beat; hours."""

    machines: int
    hours: float
    least: float
    """The larger of the longest way through the tasks and the total shared by all machines."""
    starts: Mapping[str, float] = field(default_factory=dict)


def schedule(tasks: Sequence[Task], machines: int) -> Schedule:
    """A machine that falls free takes, of the tasks that may start, the one with most behind it.

    Without precedence this is longest first, at most 4/3 of the best (Graham 1969).

    Raises:
        ValueError: there is no machine.
    """
    if machines < 1:
        raise ValueError(f"{machines} machines: one run alone needs more than there is")
    known = {task.name: task for task in tasks}
    before = {task.name: [name for name in task.after if name in known] for task in tasks}
    behind = _ways(known, before)
    waiting = sorted(tasks, key=lambda task: -behind[task.name])
    free = [0.0] * machines
    ends: dict[str, float] = {}
    starts: dict[str, float] = {}
    while waiting:
        now = heapq.heappop(free)
        task = _first(waiting, before, ends, now)
        if task is None:
            heapq.heappush(free, min(end for end in ends.values() if end > now))
            continue
        waiting.remove(task)
        starts[task.name], ends[task.name] = now, now + task.hours
        heapq.heappush(free, ends[task.name])
    total = sum(task.hours for task in tasks)
    return Schedule(
        machines=machines,
        hours=max(ends.values(), default=0.0),
        least=max([total / machines, *behind.values()]),
        starts=starts,
    )


def _first(
    waiting: Iterable[Task],
    before: Mapping[str, Sequence[str]],
    ends: Mapping[str, float],
    now: float,
) -> Task | None:
    """The first task whose predecessors have ended."""
    return next(
        (
            task
            for task in waiting
            if all(name in ends and ends[name] <= now for name in before[task.name])
        ),
        None,
    )


def _ways(tasks: Mapping[str, Task], before: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Hours from a task's start to the end of whatever waits for it in turn."""
    followers: dict[str, list[str]] = {name: [] for name in tasks}
    for name, earlier in before.items():
        for one in earlier:
            followers[one].append(name)

    @cache
    def way(name: str) -> float:
        return tasks[name].hours + max(map(way, followers[name]), default=0.0)

    return {name: way(name) for name in tasks}
