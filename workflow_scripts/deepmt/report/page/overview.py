"""Summarise the results for a reviewer: what holds, what does not, what was not run."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from deepmt.report.claims import Status as ClaimStatus
from deepmt.report.page.chapters import Chapter
from deepmt.results.cells import Cell
from deepmt.results.verdict import Verdict

NUMBERS: dict[str, tuple[Verdict, ...]] = {
    "reproduced": ("reproduced",),
    "not reproduced": ("weaker", "stronger", "contradicted"),
    "undecided": ("undecided",),
    "not comparable": ("not-comparable",),
}
"""Columns, and the verdicts on the numbers of ours that they count."""
CLAIMS: dict[ClaimStatus, str] = {
    "holds": "hold",
    "partly-measured": "hold in part",
    "fails": "fail",
    "undecided": "undecided",
    "not-measured": "not measured",
}


class Gap(NamedTuple):
    """Count the cells without a number of ours for one reason, and the rows by paper."""

    reason: str
    cells: int
    rows: Counter[str]


def overview(chapters: Sequence[Chapter]) -> pd.DataFrame:
    """Count, by paper and in all, printed numbers of its own systems, ours, and claims."""
    found = pd.DataFrame({chapter.paper.key: _counts(chapter) for chapter in chapters}).T
    found.loc["all"] = found.sum()
    return found


def _counts(chapter: Chapter) -> dict[tuple[str, str], int]:
    printed = [c for c in chapter.cells if c.published is not None and c.status != "quoted"]
    ours = Counter(cell.verdict for cell in printed if cell.ours is not None)
    claims = Counter(claim.status for claim in chapter.claims)
    counts = {"printed": len(printed), "with ours": ours.total()}
    counts |= {name: sum(ours[one] for one in verdicts) for name, verdicts in NUMBERS.items()}
    judged = {"all": claims.total()} | {name: claims[one] for one, name in CLAIMS.items()}
    return {("Numbers", name): number for name, number in counts.items()} | {
        ("Claims", name): number for name, number in judged.items()
    }


def gaps(chapters: Sequence[Chapter]) -> list[Gap]:
    """Return the reasons why cells have no number of ours, the most frequent first."""
    found: dict[str, list[Cell]] = {}
    for chapter in chapters:
        rows = {row.id: row for table in chapter.paper.tables for row in table.rows}
        for cell in chapter.cells:
            if cell.status in ("not-run", "failed"):
                printed = f"paper: {rows[cell.row].marks.get(cell.column, '')}"
                reason = cell.note.removeprefix(printed).removeprefix("; ")
                found.setdefault(reason, []).append(cell)
    ordered = sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    rows_of = {reason: dict.fromkeys(cell.row for cell in cells) for reason, cells in ordered}
    return [
        Gap(reason, len(cells), Counter(row.partition(".")[0] for row in rows_of[reason]))
        for reason, cells in ordered
    ]
