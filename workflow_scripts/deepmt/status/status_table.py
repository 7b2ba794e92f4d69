"""Draw the states of all seeds as one table for a terminal."""

from collections import Counter
from collections.abc import Sequence

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from deepmt.printable import printable
from deepmt.status.seed_status import STATES, SeedStatus

STYLES = {"running": "green", "failed": "red", "stopped": "yellow"}
DAY = 24 * 3600.0
UNITS = ((99.5, 1.0, "s"), (99.5 * 60, 60.0, "min"), (2 * DAY, 3600.0, "h"))
"""Upper limit in seconds, unit in seconds, name; longer durations are shown in days."""
NUMBERS = ("update", "loss", "tokens/s", "left", "silent")


def duration(seconds: float) -> str:
    """Format seconds as e.g. 45 s, 2.5 min, 12 min, 3.4 h, 2.5 d."""
    for limit, unit, name in UNITS:
        if seconds < limit:
            value = seconds / unit
            return f"{value:.0f} {name}" if value >= 10 or unit == 1 else f"{value:.1f} {name}"
    return f"{seconds / DAY:.1f} d"


def draw(seeds: Sequence[SeedStatus], every: bool = False) -> Group:
    """Draw counts, then the seeds that run or did not finish, or `every` seed."""
    shown = [seed for seed in seeds if every or seed.state not in ("waiting", "finished")]
    return Group(Text(counts(seeds)), *([table(shown)] if shown else []))


def counts(seeds: Sequence[SeedStatus]) -> str:
    """Return the number of seeds in each state, as text."""
    found = Counter(seed.state for seed in seeds)
    parts = [f"{found[state]:,} {state}" for state in STATES if found[state]]
    return f"{len(seeds):,} seeds" + (f": {', '.join(parts)}" if parts else "")


def table(seeds: Sequence[SeedStatus]) -> Table:
    """Draw one line per seed; wrap long names and notes."""
    cells = [row(seed) for seed in seeds]
    found = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for name in cells[0]:
        if any(line[name] for line in cells):
            found.add_column(
                name,
                justify="right" if name in NUMBERS else "left",
                no_wrap=name not in ("run", "note"),
                overflow="fold",
            )
    for seed, line in zip(seeds, cells, strict=True):
        texts = [printable(line[str(column.header)]) for column in found.columns]
        found.add_row(*map(Text, texts), style=STYLES.get(seed.state, ""))
    return found


def row(seed: SeedStatus) -> dict[str, str]:
    """Format one seed by column; unknown values are empty."""
    names = {"run": f"{seed.scale}/{seed.run}", "seed": str(seed.seed), "state": seed.state}
    at = seed.progress
    if at is None:
        return names | dict.fromkeys((*NUMBERS, "host", "note"), "")
    live = at.last_event.get("event") != "end"
    return names | {
        "update": f"{at.update:,}" + (f"/{at.updates:,}" if at.updates else ""),
        "loss": "" if at.loss is None else f"{at.loss:.3f}",
        "tokens/s": f"{at.tokens_per_second:,.0f}" if at.tokens_per_second else "",
        "left": duration(at.remaining) if live and at.remaining is not None else "",
        "silent": duration(seed.age) if live else "",
        "host": at.host,
        "note": seed.reason,
    }
