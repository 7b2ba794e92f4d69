"""Our values as claims compare them: how large, how certain, and of which runs."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deepmt.config.measures import ELSEWHERE, measure_of
from deepmt.config.papers import Column, Paper, Row, cells_of_claims, rows_of_system
from deepmt.config.settings import rows_of
from deepmt.results.cells import Cell, cell
from deepmt.results.comparisons import RowComparison, name_in_table
from deepmt.results.noise import Side, error_of_ratio, mean_of, standard_error
from deepmt.results.results import Results
from deepmt.results.untrained_values import SIZE
from deepmt.results.verdict import MEASURED, unlearned

Operand = str | float
"""A cell's or a fact's id, or a number."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """All that is known about the claims of one paper, by ids without the paper's key."""

    scale: str
    cells: Mapping[str, Cell]
    columns: Mapping[str, tuple[Column, str]]
    """Each cell's column and measure."""
    comparable_rows: Collection[str]
    """Rows whose runs are what the paper ran."""
    figures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What stands in figures/<figure>.json."""
    tests: Mapping[tuple[str, str], RowComparison] = field(default_factory=dict)
    """Tests over sentences of a cell against another one."""
    budgets: Mapping[str, int] = field(default_factory=dict)
    """Target tokens that each run is trained on."""

    def fact(self, name: str) -> bool | float | None:
        """What a figure finds; None if it does not tell."""
        figure, _, fact = name.partition(".")
        value = self.figures[figure]["facts"].get(fact) if figure in self.figures else None
        return float(value) if type(value) is int else value

    def missing(self, name: str) -> str:
        """Why there is no value of ours."""
        if cell := self.cells.get(name):
            return "; ".join(_own_notes(cell)) or cell.status
        figure = name.partition(".")[0]
        if figure not in self.figures:
            return "neither in cells.csv nor in a figure that is drawn"
        gaps = self.figures[figure]["missing"]
        others = f" and {len(gaps) - 1} more" if len(gaps) > 1 else ""
        return f"{gaps[0]}{others}" if gaps else "the figure does not tell"

    def lacks(self, name: str) -> bool:
        """Whether a cell has neither a value nor diverged."""
        if name not in self.cells:
            return not isinstance(self.fact(name), float)
        cell = self.cells[name]
        measured = cell.status in MEASURED and cell.ours is not None
        return not (measured or self.diverged(name) or self.printed(name))

    def diverged(self, operand: Operand) -> bool:
        """Whether a cell has no value because every seed diverged."""
        return operand in self.cells and self.cells[str(operand)].status == "diverged"

    def printed(self, operand: Operand) -> bool:
        """Whether it is a number of the paper: it stands in the claim, or is quoted."""
        if not isinstance(operand, str):
            return True
        cell = self.cells.get(operand)
        return cell is not None and cell.status == "quoted" and cell.published is not None

    def untrained(self, name: str) -> bool:
        """Whether it was counted or measured on the paper's own model, untrained."""
        if name not in self.cells:
            return not self.figures[name.partition(".")[0]]["runs"]
        measure = self.columns[name][1]
        return measure in ELSEWHERE or (measure == SIZE and not self.cells[name].seeds)

    def unlearned(self, operands: Sequence[Operand]) -> bool:
        """Whether the mean of BLEU scores is one of systems that learned nothing."""
        measures = [self.columns[str(o)][1] for o in operands if o in self.columns]
        return bool(measures) and unlearned(measures[0], self.side(operands).number)

    def comparable(self, operand: Operand) -> bool:
        """Whether it may stand beside a number of the paper."""
        if not isinstance(operand, str) or self.printed(operand) or self.untrained(operand):
            return True
        return operand in self.cells and self.cells[operand].row in self.comparable_rows

    def runs(self, operands: Iterable[Operand]) -> frozenset[str]:
        """Runs that were trained for them."""
        names = [name for name in operands if isinstance(name, str) and not self.printed(name)]
        return frozenset(
            run for name in names if not self.untrained(name) for run in self._runs(name)
        )

    def budget(self, operands: Iterable[Operand]) -> int:
        """The most target tokens that one of them is trained on; 0 if none is."""
        return max((self.budgets.get(run, 0) for run in self.runs(operands)), default=0)

    def _runs(self, name: str) -> Sequence[str]:
        if name in self.cells:
            return [self.cells[name].run]
        return list(self.figures[name.partition(".")[0]]["runs"])

    def side(self, operands: Sequence[Operand]) -> Side:
        """The mean; none of the cells may be missing or have diverged."""
        values = [
            (", ".join(self.runs([o])) or str(o), self._number(o), self._error(o)) for o in operands
        ]
        return mean_of(values)

    def _number(self, operand: Operand) -> float:
        if not isinstance(operand, str):
            return float(operand)
        cell = self.cells.get(operand)
        found = self.fact(operand) if cell is None else cell.ours
        found = cell.published if cell is not None and self.printed(operand) else found
        assert found is not None
        return found

    def _error(self, operand: Operand) -> float:
        """Nothing is uncertain about what is printed or counted."""
        if not isinstance(operand, str) or self.printed(operand):
            return 0.0
        if operand not in self.cells:
            return error_of_ratio(self._number(operand))
        cell, (column, measure) = self.cells[operand], self.columns[operand]
        if measure == SIZE:
            return 0.0
        small = not self.comparable(operand)
        value = self._number(operand)
        return standard_error(value, cell.spread, cell.seeds, column.unit, small=small)

    def told(self, operands: Sequence[Operand]) -> str:
        """What is compared, with values, spreads and seeds."""
        texts = ", ".join(map(self._told, operands))
        if len(operands) == 1:
            return texts
        if any(map(self.diverged, operands)):
            return f"({texts})"
        return f"the mean {self.side(operands).number:.4g} of ({texts})"

    def _told(self, operand: Operand) -> str:
        if not isinstance(operand, str):
            return f"{operand:g}"
        cell = self.cells.get(operand)
        seeds = f" ({cell.seeds} seed{'s' * (cell.seeds > 1)})" if cell and cell.seeds else ""
        if self.diverged(operand):
            return f"{operand} diverged{seeds}"
        number = self._number(operand)
        if cell is None or self.printed(operand):
            return f"{operand} {number:.4g}" + " (quoted)" * (cell is not None)
        spread = "" if cell.spread is None else f" ± {cell.spread:.2g}"
        digits = 4 if (cell.spread or math.inf) > abs(number) / 1000 else 5
        return f"{operand} {number:.{digits}g}{spread}{seeds}"

    def notes(self, operands: Iterable[Operand]) -> tuple[tuple[str, str], ...]:
        """What a reader must know: machine, seeds that diverged, another test set, a finding."""
        return tuple(note for name in operands for note in self._notes(str(name)))

    def _notes(self, name: str) -> Iterator[tuple[str, str]]:
        cell, figure = self.cells.get(name), name.partition(".")[0]
        if cell is None and figure in self.figures:
            found = self.figures[figure]
            yield figure, f"{found['finding']} {found['label']}".rstrip(".")
        elif cell and not self.printed(name) and self.untrained(name):
            yield from (("", note) for note in _own_notes(cell)[:1])
        elif cell:
            notes = _own_notes(cell)
            told = (n for n in notes if "diverged at" in n or n.startswith("measured on"))
            yield from ((name, note) for note in told)


def _own_notes(cell: Cell) -> list[str]:
    return [note for note in cell.note.split("; ") if note and not note.startswith("paper: ")]


def gather_evidence(
    paper: Paper,
    cells: Iterable[Cell],
    results: Results,
    figures: Mapping[str, Mapping[str, Any]],
    tested: Mapping[str, Sequence[RowComparison]],
) -> Evidence:
    """Return what cells.csv, figures, tests and, for systems that no table has, records say."""
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
        # Without marks and measures of its own, which belong to another table's columns.
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
    """Yield tests over sentences by the ids of their cells, e.g. t3.a.bleu against t3.b.bleu."""
    for table in paper.tables:
        ids = {name_in_table(row): row.id.removeprefix(f"{paper.key}.") for row in table.rows}
        for pair in tested.get(table.id, ()):
            if pair.row in ids and pair.against in ids:
                row, against = ids[pair.row], ids[pair.against]
                yield (f"{row}.{pair.column}", f"{against}.{pair.column}"), pair
