"""Write report.html: tables, figures and claims of every paper on one self-contained page."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import parse
from deepmt.files import write_text
from deepmt.report.claims import read_claims
from deepmt.report.material import materials
from deepmt.report.page import Chapter, report_page
from deepmt.report.page.drawings import drawings
from deepmt.report.sheets import make_sheets
from deepmt.results.cells import read_cells
from deepmt.results.results import built_sets, open_ledger


@dataclass(frozen=True, kw_only=True)
class Args:
    """Join the tables of all papers asked for under an overview.

    Figures and claims are shown if `results` holds them.
    """

    scale: str
    papers: tuple[str, ...]
    cells: Path
    results: Path
    output: Path
    root: Path = Path()


def main(args: Args) -> None:
    """Refused records are listed on the page."""
    asked = {"scale": args.scale, "papers": list(args.papers), "rows": "all"}
    plan, ledger = open_ledger(args.root, asked, args.results)
    cells = read_cells(args.cells)
    judged = args.results / "claims.csv"
    claims = read_claims(judged) if judged.exists() else []
    chapters = [
        Chapter(
            paper=paper,
            sheets=make_sheets(paper, cells, ledger, plan.scale.title),
            drawings=drawings(paper, args.results),
            claims=[claim for claim in claims if claim.paper == paper.key],
        )
        for paper in plan.papers
    ]
    page = report_page(
        chapters,
        ledger,
        args.results,
        materials(plan.papers, ledger, built_sets(args.results)),
        title=f"Deep Transformers for translation: {plan.scale.title}",
        scale_note=plan.scale.note,
    )
    write_text(args.output, page)


if __name__ == "__main__":
    main(parse(Args))
