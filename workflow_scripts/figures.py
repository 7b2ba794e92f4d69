"""Draw one figure of a paper from our results: picture, points and finding."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from deepmt.cli import run
from deepmt.config.papers import find_figure, load
from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.figure_files import make, write
from deepmt.results.results import read_results


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write <figure>.svg, .csv and .json."""

    figure: Annotated[str, "a figure of papers/*.yaml, e.g. wang2019.fig3"]
    results: Annotated[Path, "results/<scale>"]
    output: Annotated[Path, "folder of the three files"]
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
    run(main)
