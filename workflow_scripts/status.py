"""Show which runs train, how far they are, and how they ended.

It reads files only, so it shows the runs of all hosts and executors on a shared file system.
"""

import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from rich.console import Console

from deepmt.cli import run
from deepmt.config.settings import names_in
from deepmt.config.strict import did_you_mean
from deepmt.status.seed_status import survey
from deepmt.status.status_table import draw

WIDE = 160
"""Characters per line if the output is not a terminal."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Show update, loss, speed and remaining time of seeds that run or did not finish."""

    scale: Annotated[str, "name of a scale; * = all"] = "*"
    all: Annotated[bool, "also list finished and waiting seeds"] = False
    watch: Annotated[int, "repeat after this many seconds; 0 = once"] = 0
    root: Path = Path()


def main(args: Args) -> None:
    """Print the table once, or until interrupted.

    Raises:
        ValueError: there is no such scale.
    """
    scales = names_in(args.root / "scales")
    if args.scale not in ("*", *scales):
        raise ValueError(f"--scale: unknown scale {args.scale}{did_you_mean(args.scale, scales)}")
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDE)
    with suppress(KeyboardInterrupt):
        console.print(draw(survey(args.root, args.scale), args.all))
        while args.watch:
            time.sleep(args.watch)
            found = survey(args.root, args.scale)
            console.clear()
            console.print(draw(found, args.all))


if __name__ == "__main__":
    run(main, Args)
