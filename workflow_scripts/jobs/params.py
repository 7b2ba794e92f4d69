"""Count the parameters of every row that prints a size, and compare them with it."""

from pathlib import Path
from typing import Annotated

from deepmt.base.cli import run
from deepmt.settings.corpora import load_corpora
from deepmt.settings.csv_lines import write_lines
from deepmt.settings.strict_yaml import names_in
from deepmt.study.papers import in_order, load
from deepmt.study.scale import load_scale
from deepmt.untrained.parameters import Size, sizes


def main(
    *,
    output: Path,
    root: Path = Path(),
    papers: Annotated[tuple[str, ...], "default: all"] = (),
) -> None:
    """Write params.csv: paper, table, row, published_m, ours, difference_m, note.

    Parameters are counted at the papers' widths, on the meta device.
    """
    scale = load_scale(root / "scales/paper.yaml", load_corpora(root / "corpora.yaml"))
    keys = papers or names_in(root / "papers")
    read = in_order(load(root / f"papers/{key}.yaml") for key in keys)
    found = [line for paper in read if paper.vocabulary for line in sizes(paper, scale)]
    write_lines(Size, found, output)


if __name__ == "__main__":
    run(main)
