"""How long it will be: measured where something ran, estimated where nothing did."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from deepmt.estimate.estimate import Cost
from deepmt.status.seed import Seed
from deepmt.status.tasks import tasks
from deepmt.status.wanted import Wanted

SENTENCES = 1000
"""Assumed of every set that is to be translated: its size is not known before it is built."""

WINDOW = 600.0
"""Seconds."""


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """Of all seeds together."""

    seconds: float
    """Until everything is recorded."""
    share: float
    """Of the whole work that is done, by time: 0..1."""
    lanes: float
    """Seeds that are worked at side by side."""
    correction: float
    """Real time over estimated time; 1 if there is nothing to compare."""
    compared: int
    """Seeds that the correction rests on."""
    training: Mapping[Path, float]
    """Folder of a seed that is not trained yet -> seconds of training left."""


def forecast(
    seeds: Sequence[Seed], cost_of: Callable[[Wanted], Cost], start: float = 0.0
) -> Forecast:
    """Work that is left, spread over as many lanes as there are.

    left = max(sum_i left_i / lanes, max_i left_i)
    left_i = training + decoding + start * jobs beside training

    `start` is the seconds that a job takes before it does anything.
    """
    costs = [cost_of(seed.wanted) for seed in seeds]
    estimated = [cost.train_seconds + cost.other_seconds for cost in costs]
    measured = [seconds_of(seed) for seed in seeds]
    ratios = [m / e for m, e in zip(measured, estimated, strict=True) if m is not None]
    correction = median(ratios) if ratios else 1.0
    training, left, whole = {}, [0.0], 0.0
    for seed, cost, guess, real in zip(seeds, costs, estimated, measured, strict=True):
        train = correction * guess if real is None else real
        every = [task.stage for task in tasks(seed.wanted)]
        to_train = train * untrained_share(seed)
        left.append(to_train + correction * others_seconds(seed.todo, cost, start))
        whole += train + correction * others_seconds(every, cost, start)
        if seed.untrained:
            training[seed.wanted.folder] = to_train
    lanes = lanes_of(seeds)
    return Forecast(
        seconds=max(sum(left) / lanes, *left),
        share=1 - sum(left) / whole if whole else 1.0,
        lanes=lanes,
        correction=correction,
        compared=len(ratios),
        training=training,
    )


def lanes_of(seeds: Sequence[Seed]) -> float:
    """Seeds worked at now, or the mean number of trainings at work in the window, if that is more.

    Between two short trainings a lane has other jobs, some of which leave no sign.
    """
    now = sum(seed.state == "running" for seed in seeds)
    work = sum(min(began, WINDOW) - min(ended, WINDOW) for began, ended in (s.busy for s in seeds))
    return max(1, now, work / WINDOW)


def seconds_of(seed: Seed) -> float | None:
    """Seconds of a whole training, of one under way at its present pace; None if none is known.

    One that diverged is counted to the end: its own updates are no measure of another's.
    """
    if seed.pace is not None:
        return seed.pace.seconds * seed.updates
    return seed.took * seed.updates / seed.update if seed.took and seed.update else None


def untrained_share(seed: Seed) -> float:
    """Of its updates; one that broke off makes those since its last checkpoint again."""
    reached = seed.update if seed.state == "running" else seed.saved
    return 1 - reached / seed.updates if seed.untrained else 0.0


def others_seconds(stages: Sequence[str], cost: Cost, start: float) -> float:
    """Estimated seconds of all stages but training."""
    jobs = [stage for stage in stages if stage != "train"]
    decoding = SENTENCES / 1000 * cost.decode_seconds_per_1000
    return start * len(jobs) + decoding * jobs.count("translate")
