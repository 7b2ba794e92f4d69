"""Trace a number of a table back to records, spec, data and code."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text
from rich.tree import Tree

from deepmt.base.errors import UserError
from deepmt.base.printable import printable
from deepmt.judge.cells import all_cells
from deepmt.measured.archived_scales import archived_seeds
from deepmt.measured.hypotheses import path_of
from deepmt.measured.records import Record
from deepmt.measured.table import Measured, gather
from deepmt.report.changes import checks
from deepmt.report.origins import (
    FILES,
    Origin,
    TracedCell,
    command_of,
    facts_of_seed,
    origins,
    traced,
)
from deepmt.settings.spec import Spec
from deepmt.settings.strict import did_you_mean, nearest
from deepmt.settings.strict_yaml import Section
from deepmt.study.measures import PPL
from deepmt.study.papers import OWN_PAPER, Column, Paper, Row, Table, printed_columns
from deepmt.study.plan import Plan
from deepmt.study.precedence import fold, layers_of
from deepmt.study.resolve import resolve
from deepmt.study.scale import load_scale

SHOWN_OF_DEV = {PPL: "perplexity", "chrf": "chrF", "bleu": "BLEU"}
NAMED = (
    "name a row or cell, such as unified.t1.deep-pre.bleu, or as pages print it a label of"
    " papers/unified.yaml, a system (12+12 T-Fixup), a ratio, or a difference in BLEU (BLEU +1.5)"
)
LEFT_OUT = "left out: seeds that do not train, by their best split (docs/claims.md#the-rule)"
STALE = "becomes stale if a setting, the data, or the code of training or search changes"


def explain(name: str, plan: Plan, root: Path, folder: Path) -> Tree:
    """Return the chain from a cell to its records; `folder` is results/<scale>.

    Raises:
        ValueError: no paper prints the cell.
    """
    place = find(name, plan)
    return Explanation(plan, root, folder, gather(plan, root, folder), *place).tree()


def find(name: str, plan: Plan) -> tuple[Paper, Table, Row, list[Column]]:
    """Find the cell <row>.<column>, or all cells of a row or a run.

    Points of figures name a run.

    Raises:
        ValueError: if there is no such cell; the message suggests the nearest.
    """
    rows = {
        row.id: (paper, table, row)
        for paper in plan.papers
        for table in paper.tables
        for row in table.rows
    }
    if own := [row_id for row_id, (_, table, _) in rows.items() if table.id == name]:
        raise UserError(f"{name} is a table; name one of its rows: {', '.join(own)}")
    if name in {figure.id for paper in plan.papers for figure in paper.figures}:
        raise UserError(
            f"{name} is a figure: name the `run` of a point in results/<scale>/figures/{name}.csv"
        )
    claims = [claim.id for paper in plan.papers for claim in paper.claims]
    if name in claims:
        raise UserError(f"{name} is a claim: results/<scale>/claims.csv has its verdict and runs")
    name = next((row for row, s in plan.specs.items() if s.run == name and row in rows), name)
    row_id, _, column = (name, "", "") if name in rows else name.rpartition(".")
    if row_id not in rows:
        cells = [
            f"{id}.{key}" for id, (_, t, row) in rows.items() for key in printed_columns(t, row)
        ]
        questions = [question.id for paper in plan.papers for question in paper.questions]
        labels = [row.label for paper, _, row in rows.values() if paper.key == OWN_PAPER]
        guess = nearest(name, [*rows, *cells, *questions, *claims, *labels]) or f": {NAMED}"
        raise UserError(f"no paper prints the row or cell '{name}'{guess}")
    paper, table, row = rows[row_id]
    keys = printed_columns(table, row)
    if column and column not in keys:
        raise UserError(f"{row_id} has no column '{column}'{did_you_mean(column, keys)}")
    return paper, table, row, [table.columns[key] for key in ([column] if column else keys)]


@dataclass(frozen=True)
class Explanation:
    """Explain columns of a row by what is known at one scale."""

    plan: Plan
    root: Path
    folder: Path
    """results/<scale>."""
    results: Measured
    paper: Paper
    table: Table
    row: Row
    columns: Sequence[Column]

    def tree(self) -> Tree:
        """Return the whole explanation."""
        table, row, results = self.table, self.row, self.results
        where = f"{self.paper.path}: Table {table.number}, {row.group} {row.label}"
        cells = {(one.row, one.column): one for one in all_cells(self.plan.papers, results)}
        found = [traced(table, row, o, cells[row.id, o.key], results) for o in self.columns]
        known = [one for one in found if one.cell.origin in FILES or one.cell.run]
        parts: list[str | Tree] = [" ".join(where.split()), *self._recorded_elsewhere()]
        parts += map(self._origin, origins(known, results, self.folder))
        if len(known) < len(found):
            parts += [_cell(one) for one in found if one not in known]
            parts.append(subtree(f"not run: {results.unavailable[row.id]}", self._elsewhere()))
        return subtree(row.id, parts)

    def _origin(self, origin: Origin) -> Tree:
        parts: list[str | Tree] = [origin.how, *map(_cell, origin.cells)]
        made = f"made by: {origin.command}"
        if origin.cells[0].cell.origin in FILES:
            return subtree(origin.title, [*parts, made])
        parts += [self._settings(), *_lines(origin.facts), *map(self._seed, origin.seeds)]
        if not origin.seeds:
            refused = self.results.refusals_of(self.row.id)
            parts.append(subtree(f"no record of {origin.title}", refused))
        parts += [f"file: {self.folder / file}" for file in origin.files]
        return subtree(f"run {origin.title}", [*parts, made, STALE])

    def _seed(self, record: Record) -> Tree:
        """Return a record, and changes since."""
        parts = _lines(facts_of_seed(record))
        if record.milestones:
            curves = {name: record.curve(key, "dev") for key, name in SHOWN_OF_DEV.items()}
            for update in curves["perplexity"]:
                known = (f"{k} {of[update]:.2f}" for k, of in curves.items() if update in of)
                parts.append(f"after {update:,} updates, dev: {', '.join(known)}")
        if record.archived and record.hypotheses:
            kept = path_of(self.root / "records", record.run, record.seed)
            parts.append(f"hypotheses of {', '.join(record.hypotheses)}: {kept}")
        parts += [f"[{state}] {text}" for state, text in checks(record, self.root)]
        return subtree(f"record of seed {record.seed}: {record.location}", parts)

    def _settings(self) -> Tree:
        """Return every setting with the layers that set it; the last one decides."""
        plan = self.plan
        layers = layers_of(self.paper, str(self.row.system), plan.scale, plan.corpora)
        settings, changes = fold(layers)
        return subtree(
            "settings, with what sets them: the last one decides",
            (
                f"{key} {value}: {' < '.join(_set_by(key, changes))}"
                for key, value in settings.items()
            ),
        )

    def _recorded_elsewhere(self) -> Iterator[str]:
        """Yield the scales at which a row without records here has some in the archive."""
        if not self.row.system or self.results.records_of(self.row.id):
            return
        found = archived_seeds([self.row], self.paper, self.root, self.plan.corpora)
        if scales := found[self.row.id]:
            yield f"recorded at other scales: {', '.join(map(scale_flag, scales.items()))}"

    def _elsewhere(self) -> Iterator[str]:
        """Yield a command for each scale at which the row can be run."""
        for path in sorted((self.root / "scales").glob("*.yaml")):
            if self.row.system and isinstance(self._spec_at(path.stem), Spec):
                yield f"to run it: {command_of(self.row.id, path.stem)}"

    def _spec_at(self, scale: str) -> Spec | str:
        """Return the row's spec at a scale, or the reason why there is none."""
        found = load_scale(self.root / "scales" / f"{scale}.yaml", self.plan.corpora)
        return resolve(self.paper, str(self.row.system), found, self.plan.corpora)


def scale_flag(known: tuple[str, int]) -> str:
    """Return e.g. "--scale multi30k (3 seeds)" for a scale and the number of its seeds."""
    scale, seeds = known
    return f"--scale {scale} ({seeds} seed{'s' * (seeds > 1)})"


def subtree(text: str, parts: Iterable[str | Tree] = ()) -> Tree:
    """Return a line with its child lines."""
    tree = Tree(Text(printable(text)))
    tree.children += [part if isinstance(part, Tree) else subtree(part) for part in parts]
    return tree


def _lines(facts: Mapping[str, str]) -> list[str]:
    return [f"{name}: {text}" for name, text in facts.items()]


def _set_by(key: str, changes: Iterable[tuple[str, Section]]) -> Iterator[str]:
    """Yield each layer that sets a setting, with its value and the line of a file."""
    for layer, change in changes:
        if key in change:
            place = f" ({change.places[key]})" if key in change.places else ""
            yield f"{layer} {change[key]}{place}"


def _seeds(one: TracedCell) -> Iterator[tuple[int, str]]:
    """Yield each seed with its value, and why ours leaves it out."""
    for seed in sorted({*one.seeds, *one.left_out}):
        value = repr(one.seeds[seed]) if seed in one.seeds else ""
        out = f"left out, {one.left_out[seed]}" if seed in one.left_out else ""
        yield seed, "; ".join(filter(None, (value, out)))


def _cell(one: TracedCell) -> Tree:
    cell = one.cell
    ours = "no number" if cell.ours is None else repr(cell.ours)
    spread = "" if cell.spread is None else f" ± {cell.spread!r}"
    parts = [f"published: {one.published or 'nothing'}; verdict: {one.verdict}"]
    parts += [f"seed {seed}: {said}" for seed, said in _seeds(one)]
    parts += [LEFT_OUT] * bool(one.left_out)
    parts += [one.notes] if one.notes else []
    return subtree(f"{cell.column}: {ours}{spread} ({cell.unit}; {cell.status})", parts)
