"""Draw the states of all seeds as one table for a terminal."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from textwrap import wrap

from rich import box
from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from deepmt.base.printable import printable
from deepmt.machines.seed_status import STATES, SeedStatus

STYLES = {"running": "green", "silent": "red", "stopped": "yellow"}
ENDED = ("diverged", "stalled", "collapsed", "finished")
NAME = 38
"""Characters of a line of a run's name, which breaks behind a hyphen."""
BAR = 40
"""Characters of the bar of a start."""
HOUR = 3600
NUMBERS = ("update", "loss", "tokens/s", "left", "silent")


def draw(seeds: Sequence[SeedStatus], every: bool = False, bars: bool = False) -> Group:
    """Draw counts and what is done of each start, then seeds that run or failed, or `every` seed.

    With `bars`, a terminal has one for each start, and one for each training.
    """
    found = Counter(seed.state for seed in seeds)
    counts = ", ".join(f"{found[state]:,} {state}" for state in STATES if found[state])
    so_far = f"{len(seeds):,} seed{'s' * (len(seeds) != 1)} so far"
    text = Text(": ".join(filter(None, [so_far, counts])))
    shown = [seed for seed in seeds if every or seed.state not in ("waiting", "finished")]
    return Group(text, *starts(seeds, bars), *([table(shown, bars)] if shown else []))


def starts(seeds: Sequence[SeedStatus], bars: bool) -> Iterator[Table]:
    """Draw for each scale how much of what its last start is to train is done."""
    for scale in dict.fromkeys(seed.scale for seed in seeds):
        asked = [seed for seed in seeds if seed.scale == scale and seed.hours]
        total = sum(seed.hours or 0 for seed in asked)
        left = sum((seed.hours or 0) * (1 - done(seed)) for seed in asked)
        if not left:
            continue
        share = 1 - left / total
        said = f"{scale}: {share:.0%} of {total:.2g} {asked[0].unit}"
        # Hours of estimate in an hour of the clock, by the pace of what trains now.
        pace = sum(map(hours_an_hour, asked))
        line = Table.grid(padding=(0, 1, 0, 0))
        line.add_row(
            Text(printable(said)),
            *([ProgressBar(1, share, width=BAR)] if bars else []),
            Text(f"{duration(HOUR * left / pace)} left" if pace else ""),
        )
        yield line


def done(seed: SeedStatus) -> float:
    """Return the share of a training that is behind it; one that ended early is done."""
    if seed.state in ENDED:
        return 1
    return (seed.update or 0) / seed.updates if seed.updates else 0


def hours_an_hour(seed: SeedStatus) -> float:
    """Return how many of its hours a training does in an hour, if it runs."""
    if seed.state != "running" or not (seed.hours and seed.updates and seed.update_seconds):
        return 0
    return HOUR * seed.hours / seed.updates / seed.update_seconds


def table(seeds: Sequence[SeedStatus], bars: bool) -> Table:
    """Draw one line per seed; wrap long names and notes."""
    found = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for name in row(seeds[0]):
        found.add_column(
            name,
            justify="right" if name in NUMBERS else "left",
            no_wrap=name not in ("run", "note"),
            overflow="fold",
        )
    longest = max(len(row(seed)["update"]) for seed in seeds)
    for seed in seeds:
        cells: dict[str, RenderableType] = {
            name: Text(printable(text)) for name, text in row(seed).items()
        }
        if bars:
            bar = ProgressBar(1, done(seed), width=longest)
            cells["update"] = Group(cells["update"], bar)
        found.add_row(*cells.values(), style=STYLES.get(seed.state, ""))
    return found


def row(seed: SeedStatus) -> dict[str, str]:
    """Format one seed by column; unknown values are empty."""
    left = None
    if seed.update_seconds and seed.updates and seed.update is not None:
        left = (seed.updates - seed.update) * seed.update_seconds
    live = seed.state not in ENDED
    return {
        "run": "\n".join(wrap(f"{seed.scale}/{seed.run}", NAME)),
        "seed": str(seed.seed),
        "state": seed.state,
        "update": "/".join(f"{n:,}" for n in (seed.update, seed.updates) if n is not None),
        "loss": "" if seed.loss is None else f"{seed.loss:.3f}",
        "tokens/s": f"{seed.tokens_per_second:,.0f}" if seed.tokens_per_second else "",
        "left": duration(left) if live else "",
        "silent": duration(seed.age) if live else "",
        "host": seed.host,
        "note": seed.note,
    }


def duration(seconds: float | None) -> str:
    """Format seconds as h:mm:ss, with days before if there are any."""
    return "" if seconds is None else str(timedelta(seconds=round(seconds)))
