"""Summarise the results for a reviewer: what holds, what does not, what was not run."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import get_args

import pandas as pd

from deepmt.judge.claim import Status as ClaimStatus
from deepmt.judge.printed import Verdict
from deepmt.measured.encoded_corpora import EncodedSplit
from deepmt.report.page.chapters import Chapter
from deepmt.report.page.html_table import MARKS

CLAIMS: tuple[ClaimStatus, ...] = (
    "holds", "holds-in-part", "fails", "differs-on-this-machine", "undecided", "not-measured",
)  # fmt: skip


def overview(chapters: Sequence[Chapter]) -> pd.DataFrame:
    """Count, by paper and in all, printed numbers of its own systems, ours, and claims."""
    found = pd.DataFrame({chapter.paper.key: _counts(chapter) for chapter in chapters}).T
    found.loc["all"] = found.sum()
    return found


def _counts(chapter: Chapter) -> dict[tuple[str, str], int]:
    cells = [cell for *_, cell in chapter.places]
    printed = [c for c in cells if c.published is not None and c.status != "quoted"]
    ours = Counter(cell.verdict for cell in printed if cell.ours is not None)
    claims = Counter(claim.status for claim in chapter.claims)
    trained = sum(cell.ours is not None and cell.origin == "runs" for cell in printed)
    counts = {"printed": len(printed), "with ours": ours.total(), "of trained models": trained}
    counts |= {f"{in_words(one)} {MARKS[one]}".strip(): ours[one] for one in get_args(Verdict)}
    judged = {"all": claims.total()} | {in_words(status): claims[status] for status in CLAIMS}
    return {("Numbers", name): number for name, number in counts.items()} | {
        ("Claims", name): number for name, number in judged.items()
    }


def in_words(verdict: Verdict | ClaimStatus) -> str:
    """Return a verdict as it is read, e.g. "not comparable"."""
    return verdict.replace("-", " ")


def gaps(chapters: Sequence[Chapter]) -> pd.DataFrame:
    """Count the cells without a number of ours by reason and paper, the most frequent first."""
    found = []
    for _, row, column, cell in (place for chapter in chapters for place in chapter.places):
        if cell.status in ("not-run", "refused"):
            printed = f"paper: {row.marks.get(column.key, '')}"
            found.append((cell.note.removeprefix(printed).removeprefix("; "), cell.paper))
    counts = pd.DataFrame(found, columns=["reason", "paper"]).value_counts()
    table = counts.unstack(fill_value=0).assign(all=counts.groupby("reason").sum())
    ordered = table.sort_values("all", ascending=False, kind="stable")
    return ordered.rename_axis(index=None, columns=None)


def splits(built: Iterable[EncodedSplit]) -> pd.DataFrame:
    """Return a line for each split of the texts that were built on this machine."""
    return pd.DataFrame(
        {
            f"{one.title}, {one.split} ({one.settings})": {
                "pairs": f"{one.sentences:,}",
                "words": f"{one.source_words:,} / {one.target_words:,}",
                "subwords": f"{one.source_subwords:,} / {one.target_subwords:,}",
                "vocabulary": f"{one.source_vocabulary:,} / {one.target_vocabulary:,}",
                "unknown": f"{one.source_unknown:.2%} / {one.target_unknown:.2%}",
                "dropped by cleaning": one.dropped or "–",
            }
            for one in built
        }
    ).T
