"""Gather what claims compare: cells and printed numbers, with their errors."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from deepmt.judge.cells import Cell, cell_of, pool_cells, run_outcomes
from deepmt.judge.interval import EXACT, Error
from deepmt.judge.lead_at_end import pool_of_dev
from deepmt.judge.run_outcome import RunOutcome
from deepmt.judge.significance import RowComparison, name_in_table
from deepmt.judge.standard_error import Pooled
from deepmt.measured.dev_progress import LogDev
from deepmt.measured.system_value import ABSENT, STAND_IN, system_value, untrained
from deepmt.measured.table import Measured
from deepmt.measured.untrained_values import SIZE
from deepmt.study.figure_options import UNTRAINED
from deepmt.study.measures import ELSEWHERE, TIMES, Quantity
from deepmt.study.papers import Paper, cells_of_claims, quantity_of, rows_of, rows_of_system

MEASURES_OF_FIGURES = {
    "encoder_gradient_ratio": ("probe", "gradient ratio"),
    "decoder_gradient_ratio": ("probe", "gradient ratio"),
    "tokens_per_s_ratio": ("decode_speedup", "ratio"),
}
"""Measure -> that of a table's column that needs no training either, and the unit."""
QUALITY = ("bleu", "chrf", "ter", "meteor", "ppl")
"""First letters of the measures of quality."""
Notes = tuple[tuple[str, str], ...]
"""Pairs of a cell, or "" for all cells, and a note."""


@dataclass(frozen=True, kw_only=True)
class Operand:
    """Represent a cell or a number in a check."""

    name: str = ""
    """Empty for a number."""
    number: float | None = None
    error: Error = EXACT
    """Standard error."""
    text: str = ""
    """Name, value, spread and seeds."""
    missing: str = ""
    """Reason why there is no value; empty if there is one, or no seed trains."""
    measure: str = ""
    lower_is_better: bool = False
    printed: bool = False
    """True for a number of the paper, given in the claim or quoted."""
    outcome: RunOutcome = "trained"
    """If the system trained; a system that did not is not compared by its values."""
    comparable: bool = True
    """True if it can be compared with numbers of the paper."""
    runs: frozenset[str] = frozenset()
    """Runs that it was measured on."""
    notes: Notes = ()

    @property
    def quality(self) -> bool:
        """Check if it is a score or perplexity of translations."""
        return self.measure.startswith(QUALITY)

    @property
    def timed(self) -> bool:
        """Check if it is a time or a speed, which depends on the machine."""
        return self.measure in TIMES


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Hold the evidence for the claims of one paper, by ids without the paper's key."""

    scale: str
    cells: Mapping[str, Cell]
    asked: Mapping[str, Quantity]
    """What each cell measures."""
    comparable_rows: Collection[str]
    """Rows that were run as in the paper."""
    tests: Mapping[tuple[str, str], RowComparison] = field(default_factory=dict)
    """Significance tests of a cell against another one, by ids."""
    budgets: Mapping[str, int] = field(default_factory=dict)
    """Target tokens that each run is trained on."""
    outcomes: Mapping[str, RunOutcome] = field(default_factory=dict)
    """By run."""
    pooled: Pooled = field(default_factory=dict)
    """Spreads of the scale, by unit."""
    dev: Mapping[str, Mapping[int, LogDev]] = field(default_factory=dict)
    """Log perplexities on dev of each run by seed."""

    @cached_property
    def pooled_dev(self) -> Pooled:
        """Return the pooled spread of log perplexities on dev."""
        return pool_of_dev(self.dev)

    def operands(self, names: Iterable[Any]) -> list[Operand]:
        """Return the operands of one side of a check."""
        return [self.operand(name) for name in names]

    def operand(self, name: Any) -> Operand:
        """Return a cell or number as an operand."""
        if not isinstance(name, str):
            return Operand(number=float(name), text=f"{name:g}", printed=True)
        return self._cell(name)

    def _cell(self, name: str) -> Operand:
        cell, asked = self.cells[name], self.asked[name]
        measure = asked.measure
        if cell.status == "quoted" and cell.published is not None:
            text = f"{name} {cell.published:.4g} (quoted)"
            return Operand(
                name=name, number=cell.published, text=text, measure=measure, printed=True
            )
        # Counted or measured on the paper's own model, untrained.
        full_size = measure in ELSEWHERE or (measure == SIZE and not cell.seeds)
        comparable = full_size or cell.row in self.comparable_rows
        notes = [note for note in cell.note.split("; ") if note and not note.startswith("paper: ")]
        trained = cell.trained
        incomplete = trained is not None and trained < cell.seeds
        own = notes if incomplete else [note for note in notes if note.startswith(STAND_IN)]
        known: dict[str, Any] = {
            "name": name,
            "measure": measure,
            "lower_is_better": asked.better == "lower",
            "comparable": comparable,
            "runs": frozenset() if full_size else frozenset({cell.run}),
            "notes": tuple(("", note) for note in notes[:1])
            if full_size
            else tuple((name, note) for note in own),
        }
        if cell.status in ABSENT or cell.ours is None:
            return Operand(**known, missing="; ".join(notes) or cell.status)
        if measure == "comet":
            return Operand(**known, missing="COMET decides nothing")
        if trained is not None:
            known["outcome"] = self.outcomes.get(cell.run, "undecided")
        if trained == 0:
            return Operand(**known, text=f"{name} trains {count(0, cell.seeds)}")
        spread = "" if cell.spread is None else f" ± {cell.spread:.2g}"
        digits = 4 if (cell.spread or math.inf) > abs(cell.ours) / 1000 else 5
        return Operand(
            **known,
            number=cell.ours,
            error=cell.error(self.pooled),
            text=f"{name} {cell.ours:.{digits}g}{spread}{seeds_of(cell)}",
        )


def seeds_of(cell: Cell) -> str:
    """Return in brackets how many seeds or rounds a value comes from, and how many train."""
    if not cell.seeds:
        return ""
    if cell.trained is not None and cell.trained < cell.seeds:
        return f" (trains {count(cell.trained, cell.seeds)})"
    word = "round" if cell.origin == "speed.csv" else "seed"
    return f" ({cell.seeds} {word}{'s' * (cell.seeds > 1)})"


def count(trained: int, seeds: int) -> str:
    """Return e.g. "2 of 3 seeds"."""
    return f"{trained} of {seeds} seed{'s' * (seeds > 1)}"


def gather_evidence(
    paper: Paper,
    cells: Iterable[Cell],
    results: Measured,
    tested: Mapping[str, Sequence[RowComparison]],
) -> Evidence:
    """Gather cells and tests, also the cells of systems that are in no table."""
    figures = dict(_cells_of_figures(paper, results))
    cells = [*cells, *(cell for _, cell in figures.values())]
    pooled = pool_cells(cells)
    prefix = f"{paper.key}."
    named = {
        f"{cell.row}.{cell.column}".removeprefix(prefix): cell
        for cell in cells
        if cell.paper == paper.key
    }
    asked = {
        f"{row.id}.{key}".removeprefix(prefix): quantity_of(table, column, row)
        for table in paper.tables
        for row in table.rows
        for key, column in table.columns.items()
    } | {name.removeprefix(prefix): quantity for name, (quantity, _) in figures.items()}
    comparable = {row.id for row in rows_of(paper) if results.comparable(row.id)}
    for name, (table, system, key) in cells_of_claims(paper).items():
        row, quantity = rows_of_system(paper, system)[0].id, quantity_of(table, table.columns[key])
        value = system_value(row, quantity, results)
        named[name] = cell_of(paper.key, row, quantity, value, results)
        asked[name] = quantity
        comparable |= {row} if results.comparable(row) else set()
    return Evidence(
        scale=results.scale,
        cells=named,
        asked=asked,
        comparable_rows=comparable,
        tests=dict(_tests(paper, tested)),
        outcomes=run_outcomes(results, pooled),
        pooled=pooled,
        budgets=results.budgets,
        dev=results.dev,
    )


def _cells_of_figures(
    paper: Paper, results: Measured
) -> Iterator[tuple[str, tuple[Quantity, Cell]]]:
    """Yield what the paper's figures of untrained models measure, with our values."""
    for figure in paper.figures:
        for key in UNTRAINED.get(figure.draw.kind, ()) if figure.draw else ():
            measure, unit = MEASURES_OF_FIGURES[key]
            quantity = Quantity(key=key, measure=measure, unit=unit)
            for row in (f"{figure.id}.{system}" for system in figure.systems):
                value = untrained(row, quantity, results)
                cell = cell_of(paper.key, row, quantity, value, results)
                yield f"{row}.{key}", (quantity, cell)


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
