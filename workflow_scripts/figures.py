"""Draw one figure of a paper from our results: picture, points and finding."""

from dataclasses import dataclass, field
from pathlib import Path

from deepmt.cli import run
from deepmt.config.papers import find_figure, load
from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.figure_files import make, write
from deepmt.results.results import read_results


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write <figure>.svg, .csv and .json."""

    figure: str = field(metadata={"help": "a figure of papers/*.yaml, e.g. wang2019.fig3"})
    results: Path = field(metadata={"help": "results/<scale>"})
    output: Path = field(metadata={"help": "folder of the three files"})
    root: Path = Path()


def main(args: Args) -> None:
    """Draw from runs.json, curves.csv and measurements; the figure notes what was not run."""
    paper = load(args.root / f"papers/{args.figure.partition('.')[0]}.yaml")
    data = FigureData(
        paper=paper,
        results=read_results(args.results),
        folder=args.results,
        archive=args.root / "records",
    )
    write(make(find_figure(paper, args.figure), data), args.output)


if __name__ == "__main__":
    run(main, Args)
