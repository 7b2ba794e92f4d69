"""Count the parameters of every row that prints a size, and compare them with it."""

from pathlib import Path
from typing import Annotated

from deepmt.base.cli import run
from deepmt.settings.csv_lines import write_lines
from deepmt.untrained.parameters import Size, sizes
from deepmt.untrained.untrained_specs import at_full_size


def main(
    *,
    output: Path,
    root: Path = Path(),
    papers: Annotated[tuple[str, ...], "default: all"] = (),
) -> None:
    """Write params.csv: paper, table, row, published_m, ours, difference_m, note.

    Parameters are counted at the papers' widths, on the meta device.
    """
    read, scale = at_full_size(root, papers)
    found = [line for paper in read if paper.vocabulary for line in sizes(paper, scale)]
    write_lines(Size, found, output)


if __name__ == "__main__":
    run(main)
