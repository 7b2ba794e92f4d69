"""Show which runs train, how far they are, and how they ended.

It reads files only, so it shows the runs of all hosts and executors on a shared file system.
"""

import time
from pathlib import Path
from typing import Annotated

from pydantic import Field
from rich.console import Console

from deepmt.base.cli import open_output, run
from deepmt.base.errors import UserError
from deepmt.base.files import A_DAY
from deepmt.machines.seed_status import survey
from deepmt.machines.status_table import draw
from deepmt.machines.tensorboard_logs import write_logs
from deepmt.settings.strict import unknown
from deepmt.settings.strict_yaml import names_in

WIDE = 160
"""Characters per line if the output is not a terminal."""


def main(
    *,
    scale: Annotated[str, "name of a scale; * = all"] = "*",
    all: Annotated[bool, "also list finished and waiting seeds"] = False,
    watch: Annotated[int, Field(ge=0, le=A_DAY), "repeat after this many seconds; 0 = once"] = 0,
    tensorboard: Annotated[Path | None, "write what the logs hold for TensorBoard here"] = None,
    root: Path = Path(),
) -> None:
    """Show update, loss, speed and remaining time of seeds that run or did not finish.

    Raises:
        ValueError: there is no such scale.
    """
    scales = names_in(root / "scales")
    if scale not in ("*", *scales):
        raise UserError(f"--scale: {unknown('scale', scale, scales)}")
    console = Console(highlight=False, width=None if open_output().isatty() else WIDE)
    console.print(draw(survey(root, scale), all, console.is_terminal))
    if tensorboard:
        names = write_logs(root, scale, tensorboard)
        console.print(f"{len(names)} seeds are written: tensorboard --logdir {tensorboard}")
    while watch:
        time.sleep(watch)
        found = survey(root, scale)
        console.clear()
        console.print(draw(found, all, console.is_terminal))


if __name__ == "__main__":
    run(main)
