"""Gather what claims compare: cells, facts of figures and printed numbers, with their errors."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deepmt.config.measures import ELSEWHERE, measure_of
from deepmt.config.papers import Column, Paper, Row, cells_of_claims, rows_of_system
from deepmt.config.settings import rows_of
from deepmt.results.cells import Cell, cell
from deepmt.results.comparisons import RowComparison, name_in_table
from deepmt.results.failures import FAILED_AT
from deepmt.results.records import FAILURES
from deepmt.results.results import Results
from deepmt.results.untrained_values import SIZE
from deepmt.results.verdict import MEASURED, TOLERANCES, Tolerance

TIMES = Tolerance(relative=0.05)
"""Tolerance of times and speeds, which have no verdict: that of their ratios."""
SMALL = Tolerance(relative=0.2)
"""Tolerance of scores at a small scale: rounding alone has changed a deep toy system by this."""
ENOUGH_SEEDS = 3
"""Seeds needed to trust a spread; that of fewer may be small by chance."""
Notes = tuple[tuple[str, str], ...]
"""Pairs of a cell, or "" for all cells, and a note."""


@dataclass(frozen=True, kw_only=True)
class Operand:
    """Represent a cell, a fact of a figure or a number in a check."""

    name: str = ""
    """Empty for a number."""
    number: float | None = None
    error: float = 0.0
    """Standard error; 0 for printed and counted values."""
    text: str = ""
    """Name, value, spread and seeds."""
    missing: str = ""
    """Reason why there is no value; empty if there is one, or every seed failed."""
    measure: str = ""
    lower_is_better: bool = False
    printed: bool = False
    """True for a number of the paper, given in the claim or quoted."""
    diverged: bool = False
    """True if every seed diverged, stalled or collapsed."""
    comparable: bool = True
    """True if it can be compared with numbers of the paper."""
    runs: frozenset[str] = frozenset()
    """Runs that it was measured on."""
    notes: Notes = ()


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Hold the evidence for the claims of one paper, by ids without the paper's key."""

    scale: str
    cells: Mapping[str, Cell]
    columns: Mapping[str, tuple[Column, str]]
    """Column and measure of each cell."""
    comparable_rows: Collection[str]
    """Rows that were run as in the paper."""
    figures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The contents of figures/<figure>.json."""
    tests: Mapping[tuple[str, str], RowComparison] = field(default_factory=dict)
    """Significance tests of a cell against another one, by ids."""
    budgets: Mapping[str, int] = field(default_factory=dict)
    """Target tokens that each run is trained on."""

    def operands(self, names: Iterable[Any]) -> list[Operand]:
        """Return the operands of one side of a check."""
        return [self.operand(name) for name in names]

    def operand(self, name: Any) -> Operand:
        """Return a cell, fact or number as an operand."""
        if not isinstance(name, str):
            return Operand(number=float(name), text=f"{name:g}", printed=True)
        return self._cell(name) if name in self.cells else self._fact(name)

    def _cell(self, name: str) -> Operand:
        cell, (column, measure) = self.cells[name], self.columns[name]
        if cell.status == "quoted" and cell.published is not None:
            text = f"{name} {cell.published:.4g} (quoted)"
            return Operand(
                name=name, number=cell.published, text=text, measure=measure, printed=True
            )
        # Counted or measured on the paper's own model, untrained.
        full_size = measure in ELSEWHERE or (measure == SIZE and not cell.seeds)
        comparable = full_size or cell.row in self.comparable_rows
        notes = [note for note in cell.note.split("; ") if note and not note.startswith("paper: ")]
        own = [note for note in notes if FAILED_AT.search(note) or note.startswith("measured on")]
        known: dict[str, Any] = {
            "name": name,
            "measure": measure,
            "lower_is_better": column.better == "lower",
            "comparable": comparable,
            "runs": frozenset() if full_size else frozenset({cell.run}),
            "notes": tuple(("", note) for note in notes[:1])
            if full_size
            else tuple((name, note) for note in own),
        }
        seeds = f" ({cell.seeds} seed{'s' * (cell.seeds > 1)})" if cell.seeds else ""
        if cell.status in FAILURES:
            return Operand(**known, diverged=True, text=f"{name} {cell.status}{seeds}")
        if cell.status not in MEASURED or cell.ours is None:
            return Operand(**known, missing="; ".join(notes) or cell.status)
        spread = "" if cell.spread is None else f" ± {cell.spread:.2g}"
        digits = 4 if (cell.spread or math.inf) > abs(cell.ours) / 1000 else 5
        error = standard_error(
            cell.ours, cell.spread, cell.seeds, column.unit, small=not comparable
        )
        return Operand(
            **known,
            number=cell.ours,
            error=0.0 if measure == SIZE else error,
            text=f"{name} {cell.ours:.{digits}g}{spread}{seeds}",
        )

    def _fact(self, name: str) -> Operand:
        figure, _, fact = name.partition(".")
        if figure not in self.figures:
            return Operand(name=name, missing="neither in cells.csv nor in a figure")
        found = self.figures[figure]
        value, runs = found["facts"].get(fact), frozenset(found["runs"])
        note = (figure, f"{found['finding']} {found['label']}".rstrip("."))
        known: dict[str, Any] = {"name": name, "runs": runs, "notes": (note,)}
        if type(value) not in (int, float):
            gaps = found["missing"]
            others = f" and {len(gaps) - 1} more" if len(gaps) > 1 else ""
            missing = f"{gaps[0]}{others}" if gaps else "the figure has no such value"
            return Operand(**known, missing=missing)
        return Operand(
            **known,
            number=float(value),
            error=error_of_ratio(value),
            text=f"{name} {value:.4g}",
            comparable=not runs,
        )

    def truth(self, fact: str) -> bool | None:
        """Return if a fact of a figure is true, or None if unknown."""
        figure, _, name = fact.partition(".")
        value = self.figures[figure]["facts"].get(name) if figure in self.figures else None
        return value if isinstance(value, bool) else None


def standard_error(
    value: float, spread: float | None, seeds: int, unit: str, *, small: bool = False
) -> float:
    """Return the standard error over seeds; for few seeds, at least half the unit's tolerance."""
    tolerances = (TOLERANCES.get(unit, TIMES), SMALL if small else Tolerance())
    least = max(tolerance.of(value) for tolerance in tolerances) / 2
    if spread is None:
        return least
    error = spread / math.sqrt(max(1, seeds))
    return error if seeds >= ENOUGH_SEEDS else max(error, least)


def error_of_ratio(value: float) -> float:
    """Return the standard error of a ratio of times without a spread."""
    return TIMES.of(value) / 2


def gather_evidence(
    paper: Paper,
    cells: Iterable[Cell],
    results: Results,
    figures: Mapping[str, Mapping[str, Any]],
    tested: Mapping[str, Sequence[RowComparison]],
) -> Evidence:
    """Gather cells, figures and tests; systems that are in no table get cells from records."""
    prefix = f"{paper.key}."
    named = {
        f"{cell.row}.{cell.column}".removeprefix(prefix): cell
        for cell in cells
        if cell.paper == paper.key
    }
    columns = {
        f"{row.id}.{key}".removeprefix(prefix): (column, measure_of(row, column))
        for table in paper.tables
        for row in table.rows
        for key, column in table.columns.items()
    }
    comparable = {row.id for row in rows_of(paper) if results.comparable(row)}
    for name, (table, system, key) in cells_of_claims(paper).items():
        column, [row, *_] = table.columns[key], rows_of_system(paper, system)
        # Marks and measures are dropped: they belong to another table's columns.
        row = Row(id=row.id, label=system, status="trained", system=system, values={})
        named[name] = cell(paper, table, row, column, results)
        columns[name] = column, column.measure
        comparable |= {row.id} if results.comparable(row) else set()
    specs = {run: spec.training for run, spec in results.runs.items()}
    return Evidence(
        scale=results.scale,
        cells=named,
        columns=columns,
        comparable_rows=comparable,
        figures={key.removeprefix(prefix): found for key, found in figures.items()},
        tests=dict(_tests(paper, tested)),
        budgets={run: plan.updates * plan.batch_tokens for run, plan in specs.items()},
    )


def _tests(
    paper: Paper, tested: Mapping[str, Sequence[RowComparison]]
) -> Iterator[tuple[tuple[str, str], RowComparison]]:
    """Yield significance tests by the ids of both cells, e.g. t3.a.bleu and t3.b.bleu."""
    for table in paper.tables:
        ids = {name_in_table(row): row.id.removeprefix(f"{paper.key}.") for row in table.rows}
        for pair in tested.get(table.id, ()):
            if pair.row in ids and pair.against in ids:
                row, against = ids[pair.row], ids[pair.against]
                yield (f"{row}.{pair.column}", f"{against}.{pair.column}"), pair
