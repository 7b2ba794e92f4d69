"""Trace a number of a table back to records, spec, data and code."""

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.text import Text
from rich.tree import Tree

from deepmt.config.corpora import Corpora, load_corpora
from deepmt.config.measures import measure_of
from deepmt.config.papers import Column, Paper, Row, Table, printed_columns, systems_behind
from deepmt.config.settings import load_scale, resolve
from deepmt.config.spec import Spec
from deepmt.config.strict import did_you_mean
from deepmt.files import read_json
from deepmt.printable import printable
from deepmt.report.changes import changes_by_scale, checks, describe_changes, differences
from deepmt.report.provenance import FILES
from deepmt.results.cell_values import score_of, values_by_seed
from deepmt.results.cells import Cell
from deepmt.results.corpus_statistics import TRAINING
from deepmt.results.hypotheses import path_of
from deepmt.results.records import Record
from deepmt.results.results import Results
from deepmt.results.verdict import FULL_SCALE

STALE = "becomes stale if a setting, the data, or the code of training or search changes"


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Hold a row of a table, the columns to explain, and the results."""

    paper: Paper
    table: Table
    row: Row
    columns: Sequence[Column]
    results: Results
    cells: Mapping[tuple[str, str], Cell]
    """By row and column."""
    root: Path
    folder: Path
    """results/<scale>."""

    @cached_property
    def corpora(self) -> Corpora:
        """Read today's corpora.yaml."""
        return load_corpora(self.root / "corpora.yaml")

    def spec_at(self, scale: str) -> Spec | str:
        """Return the row's spec by today's settings, or the reason why there is none."""
        found = load_scale(self.root / "scales" / f"{scale}.yaml", self.corpora)
        return resolve(self.paper, str(self.row.system), found, self.corpora)

    def tree(self) -> Tree:
        """Return the whole explanation."""
        row = self.row
        where = f"{self.paper.path}: Table {self.table.number}, {row.group} {row.label}"
        parts: list[str | Tree] = [" ".join(where.split()), *map(self._cell, self.columns)]
        if any(self.cells[row.id, column.key].origin not in FILES for column in self.columns):
            parts.append(self._run())
        return subtree(row.id, parts)

    def _cell(self, column: Column) -> Tree:
        found = self.cells[self.row.id, column.key]
        ours = "no number" if found.ours is None else f"{found.ours!r}"
        spread = "" if found.spread is None else f" ± {found.spread!r}"
        published = "nothing" if found.published is None else found.published
        parts: list[str | Tree] = [f"published: {published}; verdict: {found.verdict}"]
        if found.note:
            parts.append(f"note: {found.note}")
        if found.origin in FILES:
            parts.append(self._file(found, column))
        elif found.ours is not None:
            parts += self._seeds(column)
        return subtree(f"{column.key}: {ours}{spread} ({column.unit}; {found.status})", parts)

    def _seeds(self, column: Column) -> Iterator[str]:
        """Yield the values that the mean is computed from."""
        row = self.row
        if measure_of(row, column) == "delta":
            cells = [f"{id}.{key}" for id in (row.id, row.reference) for key in column.of]
            yield f"a difference; explain {' and '.join(cells)}"
        records = self.results.records_of(row)
        values = values_by_seed(self.table, row, column, records)
        for record in records:
            if record.seed in values:
                score, split = score_of(record, row, column)
                how = f"; {split}: {score.signature}" if score else ""
                yield f"seed {record.seed}: {values[record.seed]!r}{how}"

    def _file(self, found: Cell, column: Column) -> Tree:
        """Return file and line of a number that needs no training, and the target that makes it."""
        value = self.results.without_training(self.row, column)
        _, target, how = FILES[found.origin]
        folder = self.root / "records" if value and value.recorded else self.folder
        names = [{self.row.id}, {column.key, measure_of(self.row, column)}]
        if target == "params":
            names = [{self.row.id}]
        elif target == "corpora":
            names = [{value.dataset if value else ""}, {TRAINING}]
        lines = ",".join(_lines_with(folder / found.origin, names))
        made = f"made by: snakemake --cores all {target} --config scale={self.results.scale}"
        return subtree(f"from {folder / found.origin}:{lines}", [how, made])

    def _run(self) -> Tree:
        row, results = self.row, self.results
        if row.id not in results.rows:
            return subtree(f"not run: {results.unavailable[row.id]}", self._elsewhere())
        spec, records = results.specs[row.id], results.records_of(row)
        today = self.spec_at(results.scale)
        seeds = ",".join(str(record.seed) for record in records)
        decoding = ", ".join(f"{key} {value}" for key, value in asdict(spec.decoding).items())
        return subtree(
            f"run {spec.run}",
            [
                self._spec(spec),
                f"data: {spec.dataset}",
                f"decoding: {decoding}",
                *(_record(record, today, self.root) for record in records),
                *([] if records else [self._no_record(spec)]),
                f"made by: {self._command(results.scale)}" + (f" seeds={seeds}" if seeds else ""),
                STALE,
            ],
        )

    def _command(self, scale: str) -> str:
        return f"snakemake --cores all --config scale={scale} rows={self.row.id}"

    def _elsewhere(self) -> Iterator[str]:
        """Yield a command for each scale at which the row can be run."""
        for path in sorted((self.root / "scales").glob("*.yaml")):
            if self.row.system is not None and isinstance(self.spec_at(path.stem), Spec):
                yield f"to run it: {self._command(path.stem)}"

    def _spec(self, spec: Spec) -> Tree:
        """Return the systems that a spec inherits from by line, and the scale's settings."""
        system = str(self.row.system)
        systems = [
            f"{self.paper.path}:{each.line}: {each.name}: "
            + (", ".join(f"{k}: {v}" for k, v in each.change.items()) or "no changes")
            for each in systems_behind(self.paper.systems, system, self.paper.path)
        ]
        changes = changes_by_scale(self.paper, system, spec, self.spec_at(FULL_SCALE))
        scale = self.root / "scales" / f"{self.results.scale}.yaml"
        own = subtree(f"{scale}: changes {len(changes)} settings", describe_changes(changes))
        return subtree(f"spec: sha256 {spec.sha256}", [*systems, own])

    def _no_record(self, spec: Spec) -> Tree:
        """Return why there is no record, and earlier runs of the same name with other settings."""
        parts: list[str | Tree] = [*self.results.refusals_of(self.row)]
        for path in sorted(self.folder.glob(f"runs/{spec.name}-????????/spec.json")):
            if path.parent.name != spec.run:
                changes = differences(read_json(path), asdict(spec))
                lines = describe_changes(changes)
                parts.append(subtree(f"[changed] {path}: other settings", lines))
        return subtree(f"no record of {spec.run}", parts)


def find(name: str, papers: Collection[Paper]) -> dict[str, Any]:
    """Find the cell <row>.<column>, or all cells of a row; return fields of Explanation.

    Raises:
        ValueError: if there is no such cell; the message suggests the nearest.
    """
    rows = {
        row.id: (paper, table, row, printed_columns(table, row))
        for paper in papers
        for table in paper.tables
        for row in table.rows
    }
    if own := [row_id for row_id, (_, table, *_) in rows.items() if table.id == name]:
        raise ValueError(f"{name} is a table; name one of its rows: {', '.join(own)}")
    if name in {figure.id for paper in papers for figure in paper.figures}:
        raise ValueError(f"{name} is a figure: read results/<scale>/figures/{name}.csv")
    row_id, _, column = (name, "", "") if name in rows else name.rpartition(".")
    if row_id not in rows:
        cells = [f"{id}.{key}" for id, (*_, keys) in rows.items() for key in keys]
        raise ValueError(
            f"no paper prints the row or cell '{name}'{did_you_mean(name, [*rows, *cells])}"
        )
    paper, table, row, keys = rows[row_id]
    if column and column not in keys:
        raise ValueError(f"{row_id} has no column '{column}'{did_you_mean(column, keys)}")
    columns = [table.columns[key] for key in ([column] if column else keys)]
    return {"paper": paper, "table": table, "row": row, "columns": columns}


def subtree(text: str, parts: Iterable[str | Tree] = ()) -> Tree:
    """Return a line with its child lines."""
    tree = Tree(Text(printable(text)))
    tree.children += [part if isinstance(part, Tree) else subtree(part) for part in parts]
    return tree


def _lines_with(path: Path, names: Sequence[Collection[str]]) -> Iterator[str]:
    """Yield the line numbers of a CSV file whose fields include one of each of `names`."""
    with path.open(newline="") as lines:
        for number, fields in enumerate(csv.reader(lines), 1):
            if all(set(each) & set(fields) for each in names):
                yield str(number)


def _record(record: Record, today: Spec | str, root: Path) -> Tree:
    """Describe a record, the files beside it, and changes since."""
    end, updates = record.failure, record.updates
    where = f"{end.update} ({end.reason}), trained for {updates} updates" if end else updates
    parts = [f"{record.outcome} at update {where}, {record.finished}, on {record.machines}"]
    if not record.archived:
        folder = Path(record.location).parent
        parts.append(f"files: {folder}/log.jsonl, {folder}/hyp.*.txt")
    elif record.hypotheses:
        kept = path_of(root / "records", record.run, record.seed)
        parts.append(f"hypotheses of {', '.join(record.hypotheses)}: {kept}")
    parts += [f"[{state}] {text}" for state, text in checks(record, today, root)]
    return subtree(f"record of seed {record.seed}: {record.location}", parts)
