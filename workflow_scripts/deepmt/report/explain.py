"""Where a number of a table comes from: the chain from a cell to records, spec, data and code."""

import csv
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from deepmt.config.measures import measure_of
from deepmt.config.papers import Column, Paper, Row, Table, printed_columns
from deepmt.config.settings import Plan, load_scale, near, resolve
from deepmt.config.spec import Spec
from deepmt.config.strict_yaml import did_you_mean
from deepmt.report.branch import Branch
from deepmt.report.lineage import differences, explain_changes, explain_spec
from deepmt.report.provenance import FILES, origin_of
from deepmt.results.cell_values import Ledger, score_of, values_by_seed
from deepmt.results.cells import cell
from deepmt.results.corpus_statistics import TRAINING, statistic_specs
from deepmt.results.staleness import explain_record


@dataclass(frozen=True, kw_only=True)
class Place:
    """A row of a table, and the columns that are asked about."""

    paper: Paper
    table: Table
    row: Row
    columns: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Known:
    """All that an explanation may draw on."""

    plan: Plan
    ledger: Ledger
    root: Path
    results: Path
    """results/<scale>."""


def find(name: str, papers: Collection[Paper]) -> Place:
    """The cell <row>.<column>, or all cells of a row.

    Raises:
        ValueError: there is no such cell; names the nearest.
    """
    places = {
        row.id: Place(paper=paper, table=table, row=row, columns=printed_columns(table, row))
        for paper in papers
        for table in paper.tables
        for row in table.rows
    }
    if name in places:
        return places[name]
    row, _, column = name.rpartition(".")
    if row not in places:
        cells = [f"{place.row.id}.{key}" for place in places.values() for key in place.columns]
        raise ValueError(f"no paper prints the row or cell '{name}'{near(name, [*places, *cells])}")
    place = places[row]
    if column not in place.columns:
        raise ValueError(f"{row} has no column '{column}'{did_you_mean(column, place.columns)}")
    return Place(paper=place.paper, table=place.table, row=place.row, columns=[column])


def explain(place: Place, known: Known) -> Branch:
    """The whole chain as a tree."""
    table, row = place.table, place.row
    columns = [table.columns[key] for key in place.columns]
    where = f"{place.paper.path}: Table {table.number}, {row.group} {row.label}"
    untrained = [known.ledger.without_training(row, column) is not None for column in columns]
    cells = [_cell(place, column, known) for column in columns]
    runs = [] if all(untrained) else [_run(place, known)]
    return Branch(row.id, [Branch(" ".join(where.split())), *cells, *runs])


def _cell(place: Place, column: Column, known: Known) -> Branch:
    row, ledger = place.row, known.ledger
    found = cell(place.paper, place.table, row, column, ledger)
    ours = "no number" if found.ours is None else f"{found.ours!r}"
    spread = "" if found.spread is None else f" ± {found.spread!r}"
    published = "nothing" if found.published is None else found.published
    parts = [Branch(f"published: {published}; verdict: {found.verdict}")]
    if found.note:
        parts.append(Branch(f"note: {found.note}"))
    if ledger.without_training(row, column) is not None:
        parts.append(_file(place, column, known))
    elif found.ours is not None:
        parts += _seeds(place, column, ledger)
    return Branch(f"{column.key}: {ours}{spread} ({column.unit}; {found.status})", parts)


def _seeds(place: Place, column: Column, ledger: Ledger) -> Iterator[Branch]:
    """What the mean is over."""
    row = place.row
    if measure_of(row, column) == "delta":
        cells = [f"{id}.{key}" for id in (row.id, row.reference) for key in column.of]
        yield Branch(f"a difference: explain {' and '.join(cells)}")
    entries = ledger.entries(row)
    values = values_by_seed(place.table, row, column, entries)
    for entry in entries:
        if entry.record.seed in values:
            score, taken = score_of(entry.record, row, column)
            how = f"; {taken}: {score.signature}" if score else ""
            yield Branch(f"seed {entry.record.seed}: {values[entry.record.seed]!r}{how}")


def _file(place: Place, column: Column, known: Known) -> Branch:
    """The file and line of a number that needs no training, and the target that makes it."""
    row, ledger = place.row, known.ledger
    found = cell(place.paper, place.table, row, column, ledger)
    kind = origin_of(found, row, column, ledger).removeprefix("source-")
    file = FILES[kind]
    here, shelf = (folder / file.path for folder in (known.results, known.root / "records"))
    path = here if here.exists() else shelf
    names = [{row.id}, {column.key, measure_of(row, column)}]
    if kind == "sizes":
        names = [{row.id}]
    elif kind == "statistics":
        names = [{statistic_specs(known.plan)[row.id].encoding}, {TRAINING}]
    target = f"snakemake --cores all {file.target} --config scale={known.plan.scale.name}"
    return Branch(
        f"from {path}:{','.join(_lines_with(path, names))}",
        [Branch(file.how), Branch(f"made by: {target}")],
    )


def _lines_with(path: Path, names: Sequence[Collection[str]]) -> Iterator[str]:
    """Numbers of the lines of a CSV that hold one of each of these."""
    with path.open(newline="") as lines:
        for number, fields in enumerate(csv.reader(lines), 1):
            if all(set(each) & set(fields) for each in names):
                yield str(number)


def _run(place: Place, known: Known) -> Branch:
    row, plan = place.row, known.plan
    if row.id not in plan.specs:
        return Branch(
            f"not run: {known.ledger.unavailable[row.id]}", list(_elsewhere(place, known))
        )
    spec = plan.specs[row.id]
    entries = known.ledger.entries(row)
    seeds = ",".join(str(entry.record.seed) for entry in entries)
    command = _command(plan.scale.name, row) + (f" seeds={seeds}" if seeds else "")
    decoding = ", ".join(f"{key} {value}" for key, value in asdict(spec.decoding).items())
    records = [explain_record(entry, spec, known.root) for entry in entries]
    return Branch(
        f"run {spec.run}",
        [
            explain_spec(place.paper, str(row.system), spec, plan, known.root),
            Branch(f"data: {spec.encoding}"),
            Branch(f"decoding: {decoding}"),
            *(records or [_no_record(row, spec, known)]),
            Branch(f"made by: {command}"),
            Branch(
                "stale as soon as a setting, the data, or the code of training or search changes"
            ),
        ],
    )


def _command(scale: str, row: Row) -> str:
    return f"snakemake --cores all --config scale={scale} rows={row.id}"


def _elsewhere(place: Place, known: Known) -> Iterator[Branch]:
    """The commands that run a row at the scales that can."""
    if place.row.system is None:
        return
    for path in sorted((known.root / "scales").glob("*.yaml")):
        scale = load_scale(path, known.plan.corpora)
        found = resolve(place.paper, place.row.system, scale, known.plan.corpora)
        if isinstance(found, Spec):
            yield Branch(f"it can be: {_command(scale.name, place.row)}")


def _no_record(row: Row, spec: Spec, known: Known) -> Branch:
    """Why there is none, and earlier runs of the same name whose settings have changed since."""
    parts = [Branch(text) for text in known.ledger.refusals(row)]
    for path in sorted(known.results.glob(f"runs/{spec.name}-????????/spec.json")):
        if path.parent.name != spec.run:
            changes = differences(json.loads(path.read_text()), asdict(spec))
            parts.append(Branch(f"[changed] {path}: other settings", explain_changes(changes)))
    return Branch(f"no record of {spec.run}", parts)
