"""Count the parameters of every row that prints a size, and compare them with it."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import run
from deepmt.config.corpora import load_corpora
from deepmt.config.csv_lines import write_lines
from deepmt.config.papers import load
from deepmt.config.settings import load_scale
from deepmt.metrics.parameters import Size, sizes


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write params.csv: paper, table, row, published_m, ours, difference_m, note."""

    output: Path
    root: Path = Path()
    papers: tuple[str, ...] = ("zhang2019", "wang2019", "bapna2018", "liu2020")


def main(args: Args) -> None:
    """Count the parameters of every system at the papers' widths, on the meta device."""
    scale = load_scale(args.root / "scales/paper.yaml", load_corpora(args.root / "corpora.yaml"))
    papers = [load(args.root / "papers" / f"{key}.yaml") for key in args.papers]
    found = [line for paper in papers for line in sizes(paper, scale)]
    write_lines(Size, found, args.output)


if __name__ == "__main__":
    run(main, Args)
