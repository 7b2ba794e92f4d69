"""Draw the states of all seeds as one table for a terminal."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from textwrap import wrap

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from deepmt.base.printable import printable
from deepmt.machines.seed_status import STATES, SeedStatus

STYLES = {"running": "green", "silent": "red", "stopped": "yellow"}
ENDED = ("diverged", "stalled", "collapsed", "finished")
NAME = 38
"""Characters of a line of a run's name, which breaks behind a hyphen."""
NUMBERS = ("update", "loss", "tokens/s", "left", "silent")


def draw(seeds: Sequence[SeedStatus], every: bool = False) -> Group:
    """Draw counts, then the seeds that run or did not finish, or `every` seed.

    Seeds without first weights are not counted: files do not tell which of them a plan will have.
    """
    found = Counter(seed.state for seed in seeds)
    counts = ", ".join(f"{found[state]:,} {state}" for state in STATES if found[state])
    so_far = f"{len(seeds):,} seed{'s' * (len(seeds) != 1)} so far"
    text = Text(": ".join(filter(None, [so_far, counts])))
    shown = [seed for seed in seeds if every or seed.state not in ("waiting", "finished")]
    return Group(text, *([table(shown)] if shown else []))


def table(seeds: Sequence[SeedStatus]) -> Table:
    """Draw one line per seed; wrap long names and notes."""
    found = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for name in row(seeds[0]):
        found.add_column(
            name,
            justify="right" if name in NUMBERS else "left",
            no_wrap=name not in ("run", "note"),
            overflow="fold",
        )
    for seed in seeds:
        texts = (Text(printable(text)) for text in row(seed).values())
        found.add_row(*texts, style=STYLES.get(seed.state, ""))
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
