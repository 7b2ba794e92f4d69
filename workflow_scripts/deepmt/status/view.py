"""What a reader is shown of a survey, the same in a terminal and on a page."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deepmt.status.seed import Seed
from deepmt.status.survey import Survey
from deepmt.status.tasks import ORDER, STAGES

DAY = 24 * 3600.0
UNITS = ((99.5, 1.0, "s"), (99.5 * 60, 60.0, "min"), (2 * DAY, 3600.0, "h"))
"""Up to so many seconds, a duration is told in this unit; beyond, in days."""


@dataclass(frozen=True)
class Column:
    """A heading and what stands below it."""

    heading: str
    text: Callable[[Survey, Seed], str]
    width: int = 0
    """Characters of the narrowest terminal that has room for it."""
    number: bool = False
    wraps: bool = False
    """Whether it takes several lines rather than lose an end."""


@dataclass(frozen=True)
class Section:
    """Seeds of one kind; left out where there are none."""

    name: str
    says: str
    seeds: Callable[[Survey], Sequence[Seed]]
    columns: tuple[Column, ...]


def duration(seconds: float) -> str:
    """E.g. 45 s, 2.5 min, 12 min, 3.4 h, 2.5 d."""
    for below, unit, name in UNITS:
        if seconds < below:
            value = seconds / unit
            return f"{value:.0f} {name}" if value >= 10 or unit == 1 else f"{value:.1f} {name}"
    return f"{seconds / DAY:.1f} d"


def clock(stamp: float, now: float) -> str:
    """Time of day here; the day too if that is not near."""
    day = "" if abs(now - stamp) < DAY / 2 else "%a " if abs(now - stamp) < 6 * DAY else "%d %b "
    return time.strftime(f"{day}%H:%M", time.localtime(stamp))


def doing(survey: Survey, seed: Seed) -> str:
    """The stage and, in training, the update of how many."""
    of = f" {seed.update:,}/{seed.updates:,}" if seed.stage == "train" else ""
    return seed.stage + of


def left(survey: Survey, seed: Seed) -> str:
    """Of its training."""
    seconds = survey.forecast.training.get(seed.wanted.folder)
    return "" if seconds is None else duration(seconds)


RUN = Column("run", lambda survey, seed: seed.wanted.run, wraps=True)
SEED = Column("seed", lambda survey, seed: str(seed.wanted.seed), number=True)
DOING = Column("doing", doing)
LOSS = Column("loss", lambda _, s: "" if s.loss is None else f"{s.loss:.3f}", 70, number=True)
LEFT = Column("left", left, number=True)
TOKENS = Column("tokens/s", lambda _, s: f"{s.pace.tokens:,.0f}" if s.pace else "", 90, number=True)
SINCE = Column("since", lambda v, s: clock(s.since, v.moment.now) if s.since else "", 90)
HOST = Column("host", lambda survey, seed: seed.host, 90)
SIGN = Column(
    "silent", lambda _, s: "" if s.silent is None else duration(s.silent), 80, number=True
)
NOTE = Column("", lambda survey, seed: seed.note, wraps=True)
WHY = Column("diverged", lambda survey, seed: seed.diverged, wraps=True)
STATE = Column("state", lambda survey, seed: seed.state)
SAVED = Column("goes on from", lambda survey, seed: f"{seed.saved:,}" if seed.untrained else "")

SECTIONS = (
    Section(
        "Running",
        "",
        lambda survey: survey.of("running"),
        (RUN, SEED, DOING, LOSS, TOKENS, LEFT, SINCE, HOST, SIGN),
    ),
    Section(
        "Failed",
        "broken off, and nobody is at it any more; the workflow goes on from there when it is run",
        lambda survey: survey.of("failed"),
        (RUN, SEED, DOING, SAVED, HOST, SIGN, NOTE),
    ),
    Section(
        "Stopped",
        "asked to, and saved; the workflow goes on from there when it is run",
        lambda survey: survey.of("stopped"),
        (RUN, SEED, DOING, LOSS, LEFT, HOST, SIGN),
    ),
    Section("Diverged", "a result, not a fault", lambda s: s.diverged, (RUN, SEED, WHY)),
)
EVERYTHING = Section(
    "All", "", lambda survey: survey.seeds, (RUN, SEED, STATE, DOING, LOSS, LEFT, WHY, NOTE)
)


def counts(survey: Survey) -> str:
    """How many seeds are in each state, and what those that wait wait for."""
    found = Counter(seed.state for seed in survey.seeds)
    waits = Counter(seed.stage for seed in survey.of("waiting"))
    stages = ", ".join(f"{waits[stage]:,} to {stage}" for stage in STAGES if waits[stage])
    told = [f"{found[state]:,} {state}" for state in ("done", *ORDER[:-1]) if found[state]]
    return f"{len(survey.seeds):,} trainings: " + ", ".join(told) + (stages and f" ({stages})")


def outlook(survey: Survey) -> str:
    """Time left for everything."""
    found = survey.forecast
    if not found.seconds:
        return "all recorded"
    until = clock(survey.moment.now + found.seconds, survey.moment.now)
    nothing = "" if survey.of("running") else "; nothing runs now"
    return (
        f"about {duration(found.seconds)} left (until {until}), {found.lanes:.2g} at once{nothing}"
    )


def basis(survey: Survey) -> str:
    """What that rests on."""
    found = survey.forecast
    measured = (
        f"times {found.correction:.2f}, the median of real over estimated for {found.compared}"
        if found.compared
        else "which nothing measured corrects yet"
    )
    return (
        "An estimate: what runs by its own speed, what has not begun by the cost model"
        f" ({survey.hardware}), {measured}."
    )


def warnings(survey: Survey) -> list[str]:
    """What a reader should know of how this was found."""
    clock_of = "results/ cannot be written: ages are by this host's clock, not the file server's."
    return [clock_of] * survey.moment.own_clock + list(survey.problems)
