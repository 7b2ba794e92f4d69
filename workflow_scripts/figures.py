"""Draw one figure of a paper from what was measured: picture, points and finding."""

from dataclasses import dataclass, field
from pathlib import Path

from deepmt.cli import parse
from deepmt.config.papers import find_figure
from deepmt.report.figures.make import make, write
from deepmt.report.figures.sources import Sources
from deepmt.results.results import open_ledger


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write <figure>.svg, .csv and .json."""

    figure: str = field(metadata={"help": "a figure of papers/*.yaml, e.g. wang2019.fig3"})
    scale: str
    results: Path = field(metadata={"help": "results/<scale>"})
    output: Path = field(metadata={"help": "folder of the three files"})
    root: Path = Path()


def main(args: Args) -> None:
    """What was not run is said in the figure; nothing is trained."""
    asked = {"scale": args.scale, "papers": [args.figure.partition(".")[0]], "rows": "all"}
    plan, ledger = open_ledger(args.root, asked, args.results)
    [paper] = plan.papers
    sources = Sources(
        paper=paper,
        ledger=ledger,
        scale=plan.scale,
        results=args.results,
        shelf=args.root / "records",
    )
    write(make(find_figure(paper, args.figure), sources), args.output)


if __name__ == "__main__":
    main(parse(Args))
