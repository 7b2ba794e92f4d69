"""Say what runs, what waits, what failed or diverged, and how long it will be yet.

Reads files alone, so that it sees the runs of any host and any executor on a shared file system.
"""

import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from deepmt.cli import parse
from deepmt.config.settings import read_overrides
from deepmt.files import write_text
from deepmt.status.survey import Observer
from deepmt.status.terminal import draw

WIDE = 160
"""Characters of a line where no terminal says otherwise: what is piped keeps every column."""
REFRESH = 60


@dataclass(frozen=True, kw_only=True)
class Args:
    """Show how the runs stand that the settings ask for; without --config, all others too."""

    config: tuple[str, ...] = field(
        default=(), metadata={"help": "as Snakemake takes it: scale=toy rows=all seeds=1,2"}
    )
    watch: int = field(default=0, metadata={"help": "look again every so many seconds; 0 = once"})
    page: Path | None = field(default=None, metadata={"help": "write a page, too: status.html"})
    root: Path = Path()


def main(args: Args) -> None:
    """Stop with a message if the settings need mending."""
    try:
        observer = Observer(args.root, read_overrides(args.config))
    except ValueError as error:
        sys.exit(f"The settings need mending:\n{error}")
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDE)
    with suppress(KeyboardInterrupt):
        show(args, observer, console)
        while args.watch:
            time.sleep(args.watch)
            console.clear()
            show(args, observer, console)


def show(args: Args, observer: Observer, console: Console) -> None:
    """Look once."""
    survey = observer.survey()
    console.print(draw(survey, console.width))
    if args.page:
        from deepmt.status.page import page

        write_text(args.page, page(survey, args.watch or REFRESH))


if __name__ == "__main__":
    main(parse(Args))
