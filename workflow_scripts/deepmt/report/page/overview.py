"""What a reviewer wants to know first, counted: what holds, what does not, what was not run."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from deepmt.config.papers import Row
from deepmt.report.claims import Status as ClaimStatus
from deepmt.report.page.chapters import Chapter
from deepmt.report.sheets import Sheet, State
from deepmt.results.cells import Cell
from deepmt.results.verdict import Verdict

Key = TypeVar("Key", ClaimStatus, State, Verdict)

CLAIMS: dict[ClaimStatus, str] = {
    "holds": "hold",
    "fails": "fail",
    "undecided": "undecided",
    "not-measured": "not measured",
}
ROWS: dict[State, str] = {
    "measured": "trained here",
    "recorded": "from records/",
    "diverged": "diverged",
    "failed": "record refused",
    "untrained": "size or untrained only",
    "not-run": "not run",
    "quoted": "quoted",
    "not-applicable": "nothing to run",
}
CLAIMS_NOTE = "Judged from our own records; what a small scale shows, holds at that scale alone."
RULE_NOTE = "By the rule at the foot of this page; sizes and probes are compared at every scale."
VERDICTS: dict[Verdict, str] = {
    "reproduced": "reproduced",
    "weaker": "weaker",
    "stronger": "stronger",
    "contradicted": "contradicted",
    "not-comparable": "not comparable",
}


@dataclass(frozen=True, kw_only=True)
class Count:
    """A table of counts: one column a state, one line a paper, and their sum."""

    id: str
    title: str
    explanation: str
    headings: tuple[str, ...]
    lines: tuple[tuple[str, tuple[int, ...]], ...]

    @property
    def totals(self) -> tuple[int, ...]:
        """Over all papers."""
        return tuple(map(sum, zip(*(numbers for _, numbers in self.lines), strict=True)))


@dataclass(frozen=True, kw_only=True)
class Miss:
    """A number of ours that may be compared with the published one, and falls short of it."""

    cell: Cell
    table: str
    where: str
    published: str
    ours: str


@dataclass(frozen=True, kw_only=True)
class Gap:
    """Cells that have no number of ours for one reason."""

    reason: str
    cells: int
    rows: tuple[tuple[str, int], ...]
    """How many rows of which paper."""


def overview(chapters: Sequence[Chapter]) -> list[Count]:
    """Claims, rows and verdicts, each of the papers that have any."""
    claims = {c.paper.key: Counter(claim.status for claim in c.claims) for c in chapters}
    rows = {chapter.paper.key: chapter.states for chapter in chapters}
    verdicts = {
        chapter.paper.key: Counter(cell.verdict for cell in chapter.cells if _answers(cell))
        for chapter in chapters
    }
    counts = [
        _count("claims", "Claims of the papers", CLAIMS_NOTE, CLAIMS, claims),
        _count("rows", "Rows of the tables", "One row is one system on one task.", ROWS, rows),
        _count("verdicts", "Numbers of ours beside published ones", RULE_NOTE, VERDICTS, verdicts),
    ]
    return [count for count in counts if count.lines]


def _answers(cell: Cell) -> bool:
    """Whether ours stands beside something that the paper printed: a number, or a failure."""
    measured = cell.ours is not None or cell.status == "diverged"
    return measured and (cell.published is not None or cell.verdict != "not-comparable")


def _count(
    id: str,
    title: str,
    explanation: str,
    states: Mapping[Key, str],
    found: Mapping[str, Counter[Key]],
) -> Count:
    lines = [
        (key, tuple(counter[state] for state in states))
        for key, counter in found.items()
        if counter
    ]
    return Count(
        id=id,
        title=title,
        explanation=explanation,
        headings=tuple(states.values()),
        lines=tuple(lines),
    )


def summarise(chapters: Sequence[Chapter]) -> str:
    """One sentence on what was run."""
    states = sum((chapter.states for chapter in chapters), Counter[State]())
    own = states.total() - states["quoted"] - states["not-applicable"]
    return (
        f"Of the papers' {own} own rows {states['measured']} were trained here,"
        f" {states['recorded']} come from records/, {states['diverged']} diverged;"
        f" of {states['untrained']} only a size or another measurement without training is there,"
        f" {states['not-run']} were not run. {states['quoted']} more rows are quoted from other"
        " literature."
    )


def misses(chapters: Sequence[Chapter]) -> list[Miss]:
    """Every cell that is weaker than printed, or contradicts it."""
    return [
        _miss(cell, sheet)
        for chapter in chapters
        for sheet in chapter.sheets
        for cell in sheet.cells.values()
        if cell.verdict in ("weaker", "contradicted")
    ]


def _miss(cell: Cell, sheet: Sheet) -> Miss:
    line = sheet.frame.iloc[sheet.rows.index(cell.row)]
    return Miss(
        cell=cell,
        table=sheet.id,
        where=f"{sheet.title}, {line['system']}, {sheet.spanners[cell.column]}",
        published=line.get(f"{cell.column}.paper", ""),
        ours=line.get(f"{cell.column}.ours", ""),
    )


def gaps(chapters: Sequence[Chapter]) -> list[Gap]:
    """Why cells have no number of ours: the reason of most cells first."""
    found: dict[str, list[Cell]] = {}
    for chapter in chapters:
        rows = {row.id: row for table in chapter.paper.tables for row in table.rows}
        for cell in chapter.cells:
            if cell.status in ("not-run", "failed"):
                found.setdefault(_reason(cell, rows[cell.row]), []).append(cell)
    return [
        _gap(reason, cells)
        for reason, cells in sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    ]


def _gap(reason: str, cells: Sequence[Cell]) -> Gap:
    rows = {(cell.paper, cell.row) for cell in cells}
    papers = dict.fromkeys(cell.paper for cell in cells)
    return Gap(
        reason=reason,
        cells=len(cells),
        rows=tuple((paper, sum(key == paper for key, _ in rows)) for paper in papers),
    )


def _reason(cell: Cell, row: Row) -> str:
    """The note, without what the paper printed."""
    printed = f"paper: {row.marks.get(cell.column, '')}"
    return cell.note.removeprefix(printed).removeprefix("; ")
