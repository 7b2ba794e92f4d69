"""Where the numbers of a page come from: each run, and each file of untrained measurements."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deepmt.config.measures import measure_of
from deepmt.config.papers import Column, Paper, Row, Table
from deepmt.report.sheets import Sheet, decimals_of_ours, format_value
from deepmt.results.cell_values import Ledger, score_of, values_by_seed
from deepmt.results.cells import Cell
from deepmt.results.records import Entry
from deepmt.results.untrained_values import SIZE


@dataclass(frozen=True)
class File:
    """A file of numbers that need no training: what it holds, and the target that makes it."""

    title: str
    path: str
    target: str
    how: str


FILES = {
    "sizes": File(
        "Sizes of models", "params.csv", "params", "Counted on models built at the paper's size."
    ),
    "probes": File(
        "Probes of untrained models",
        "probes/table1.csv",
        "probes",
        "Measured at initialisation, at the paper's size.",
    ),
    "speed": File("Speed", "speed.csv", "speed", "Timed on one machine, in rounds."),
    "statistics": File(
        "Statistics of corpora", "corpora.csv", "corpora", "Counted in the corpora themselves."
    ),
}
KINDS = {SIZE: "sizes", "probe": "probes", "statistic": "statistics"}
"""By measure; every other measure without training is a speed."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """A cell, in the block of what answers it."""

    cell: Cell
    where: str
    ours: str
    published: str
    difference: str
    """Ours less the published value, where the two may be compared."""
    seeds: Mapping[int, tuple[float, str]]
    """Each seed's value, and the value as text."""
    signature: str

    @property
    def name(self) -> str:
        """As explain.py takes it."""
        return f"{self.cell.row}.{self.cell.column}"


@dataclass(frozen=True, kw_only=True)
class Origin:
    """A run, or a file of numbers that need no training, with the cells that it answers."""

    id: str
    title: str
    how: str
    command: str
    lines: tuple[Line, ...]
    links: tuple[tuple[str, str], ...]
    """Label and address."""
    entries: tuple[Entry, ...] = ()
    """One a seed."""
    files: tuple[tuple[tuple[str, str], ...], ...] = ()
    """Links of each seed."""


def origin_of(cell: Cell, row: Row, column: Column, ledger: Ledger) -> str:
    """The id of the block that says where a cell's number comes from."""
    if ledger.without_training(row, column) is not None:
        return f"source-{KINDS.get(measure_of(row, column), 'speed')}"
    return f"run-{cell.run}"


def origins(
    papers: Sequence[Paper], sheets: Sequence[Sheet], ledger: Ledger, results: Path, base: str = ""
) -> list[Origin]:
    """What answers the cells: files first, then runs; `base` leads from the page to `results`."""
    tables = {table.id: table for paper in papers for table in paper.tables}
    found: dict[str, list[Line]] = {}
    for sheet in sheets:
        for origin, line in _lines(sheet, tables[sheet.id], ledger):
            found.setdefault(origin, []).append(line)
    sources = {f"source-{kind}": file for kind, file in FILES.items()}
    return [
        *(
            _file(name, file, found[name], results, base)
            for name, file in sources.items()
            if name in found
        ),
        *(
            _run(found[name], ledger, results, base)
            for name in sorted(found)
            if name not in sources
        ),
    ]


def _lines(sheet: Sheet, table: Table, ledger: Ledger) -> Iterator[tuple[str, Line]]:
    """Every number of ours in a table, with the id of its origin."""
    for row, (_, text) in zip(table.rows, sheet.frame.iterrows(), strict=True):
        for key, column in table.columns.items():
            cell = sheet.cells.get((row.id, key))
            if cell is None or cell.ours is None:
                continue
            trained = ledger.without_training(row, column) is None
            scores = [score_of(entry.record, row, column)[0] for entry in ledger.entries(row)]
            line = Line(
                cell=cell,
                where=f"{sheet.title}, {row.label}, {column.label}",
                ours=text[f"{key}.ours"],
                published=text.get(f"{key}.paper", ""),
                difference=text.get(f"{key}.difference", ""),
                seeds=_seeds(table, row, column, ledger) if trained else {},
                signature="; ".join(dict.fromkeys(score.signature for score in scores if score)),
            )
            yield origin_of(cell, row, column, ledger), line


def _seeds(table: Table, row: Row, column: Column, ledger: Ledger) -> dict[int, tuple[float, str]]:
    decimals = row.decimals.get(column.key, column.decimals)
    found = values_by_seed(table, row, column, ledger.entries(row))
    return {
        seed: (value, format_value(value, decimals_of_ours(value, decimals)))
        for seed, value in found.items()
        if value is not None
    }


def _file(name: str, file: File, lines: list[Line], results: Path, base: str) -> Origin:
    here = (results / file.path).exists()
    scale = lines[0].cell.scale
    return Origin(
        id=name,
        title=file.title,
        how=file.how if here else f"{file.how} Taken from records/{file.path}.",
        command=f"snakemake --cores all {file.target} --config scale={scale}",
        lines=tuple(lines),
        links=((file.path, base + file.path),) if here else (),
    )


def _run(lines: list[Line], ledger: Ledger, results: Path, base: str) -> Origin:
    first = lines[0].cell
    entries = ledger.records.of(first.run)
    shelf = sum(entry.recorded for entry in entries)
    seeds = ",".join(str(entry.record.seed) for entry in entries)
    here = "trained on this machine"
    how = f"{shelf} of {len(entries)} seeds from records/, the others {here}."
    if shelf in (0, len(entries)):
        how = "From records/, not trained on this machine." if shelf else f"{here.capitalize()}."
    return Origin(
        id=f"run-{first.run}",
        title=first.run,
        how=how,
        command=(
            f"snakemake --cores all --config scale={first.scale} rows={first.row} seeds={seeds}"
        ),
        lines=tuple(lines),
        links=_existing(results, base, [f"runs/{first.run}/spec.json"]),
        entries=entries,
        files=tuple(_seed_files(entry, results, base) for entry in entries),
    )


def _seed_files(entry: Entry, results: Path, base: str) -> tuple[tuple[str, str], ...]:
    """What lies beside a record; of one from the shelf, only its line."""
    if entry.recorded:
        return ()
    folder = f"runs/{entry.record.run}/seed{entry.record.seed}"
    translations = [f"hyp.{name}.txt" for name in sorted(entry.record.scores)]
    names = ["record.json", *translations, "log.jsonl"]
    return _existing(results, base, [f"{folder}/{name}" for name in names])


def _existing(results: Path, base: str, paths: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple((Path(path).name, base + path) for path in paths if (results / path).exists())
