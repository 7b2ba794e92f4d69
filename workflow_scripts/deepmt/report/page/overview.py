"""Summarise the results for a reviewer: what holds, what does not, what was not run."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

from deepmt.report.claims import Status as ClaimStatus
from deepmt.report.page.chapters import Chapter
from deepmt.report.rendered_tables import State
from deepmt.results.cells import Cell
from deepmt.results.records import FAILURES
from deepmt.results.verdict import Verdict

CLAIMS: dict[ClaimStatus, str] = {
    "holds": "hold",
    "fails": "fail",
    "partly-measured": "hold in part",
    "undecided": "undecided",
    "not-measured": "not measured",
}
ROWS: dict[State, str] = {
    "measured": "trained here",
    "recorded": "from records/",
    **{outcome: outcome for outcome in FAILURES},
    "failed": "record refused",
    "untrained": "size or untrained only",
    "not-run": "not run",
    "quoted": "quoted",
    "not-applicable": "nothing to run",
}
VERDICTS = {verdict: verdict.replace("-", " ") for verdict in get_args(Verdict)}
CLAIMS_NOTE = "Judged from our own records; results at a small scale hold at that scale only."
ROWS_NOTE = "One row is one system on one task."
SCORES_NOTE = "By the rule at the foot of this page."
SIZES_NOTE = "Counted or measured without training, on the papers' own models, at every scale."


class CountTable(NamedTuple):
    """Hold counts: one column per state, one line per paper, and totals."""

    id: str
    title: str
    explanation: str
    headings: list[str]
    lines: list[tuple[str, list[int]]]
    totals: list[int]


class Miss(NamedTuple):
    """Represent a number of ours that is weaker than the published one or contradicts it."""

    cell: Cell
    table: str
    where: str
    published: str
    ours: str


class Gap(NamedTuple):
    """Count the cells without a number of ours for one reason, and the rows by paper."""

    reason: str
    cells: int
    rows: Counter[str]


def overview(chapters: Sequence[Chapter]) -> list[CountTable]:
    """Count claims, rows and verdicts by paper."""
    claims = {c.paper.key: Counter(claim.status for claim in c.claims) for c in chapters}
    rows = {c.paper.key: c.states for c in chapters}
    scores, others = (
        {
            c.paper.key: Counter(
                cell.verdict
                for cell in c.cells
                if _is_judged(cell) and (cell.origin == "runs") == trained
            )
            for c in chapters
        }
        for trained in (True, False)
    )
    counts = [
        _count("claims", "Claims of the papers and of unified", CLAIMS_NOTE, CLAIMS, claims),
        _count("rows", "Rows of the tables", ROWS_NOTE, ROWS, rows),
        _count("scores", "Scores of ours beside published ones", SCORES_NOTE, VERDICTS, scores),
        _count("sizes", "Sizes and probes beside published ones", SIZES_NOTE, VERDICTS, others),
    ]
    return [count for count in counts if count.lines]


def _is_judged(cell: Cell) -> bool:
    """Check if the paper prints a number or a failure to compare ours with."""
    measured = cell.ours is not None or cell.status in FAILURES
    return measured and (cell.published is not None or cell.verdict != "not-comparable")


def _count(
    id: str,
    title: str,
    explanation: str,
    states: Mapping[Any, str],
    found: Mapping[str, Counter[Any]],
) -> CountTable:
    lines = [
        (paper, [counter[state] for state in states]) for paper, counter in found.items() if counter
    ]
    totals = [sum(column) for column in zip(*(numbers for _, numbers in lines), strict=True)]
    return CountTable(id, title, explanation, list(states.values()), lines, totals)


def summarise(chapters: Sequence[Chapter]) -> str:
    """Return a summary of the rows that were run."""
    states = sum((chapter.states for chapter in chapters), Counter[State]())
    own = states.total() - states["quoted"] - states["not-applicable"]
    return (
        f"Of the papers' {own} own rows {states['measured']} were trained here,"
        f" {states['recorded']} come from records/,"
        f" {', '.join(f'{states[outcome]} {outcome}' for outcome in FAILURES)};"
        f" {states['untrained']} have only a size or another measurement without training,"
        f" {states['not-run']} were not run. {states['quoted']} more rows are quoted from other"
        " literature."
    )


def misses(chapters: Sequence[Chapter]) -> list[Miss]:
    """Return every cell that is weaker than the printed value or contradicts it."""
    found = []
    for table in (table for chapter in chapters for table in chapter.tables):
        for cell in table.cells.values():
            if cell.verdict in ("weaker", "contradicted"):
                line = table.frame.iloc[table.rows.index(cell.row)]
                where = f"{table.title}, {line['system']}, {table.spanners[cell.column]}"
                texts = [line.get(f"{cell.column}.{side}", "") for side in ("paper", "ours")]
                found.append(Miss(cell, table.id, where, *texts))
    return found


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
