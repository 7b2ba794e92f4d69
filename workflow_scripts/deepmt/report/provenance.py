"""Where the numbers of a page come from: each run, and each file of untrained measurements."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deepmt.config.measures import measure_of
from deepmt.config.papers import Column, Paper, Row, Table
from deepmt.report.rendered_tables import RenderedTable, decimals_of_ours, format_value
from deepmt.results.cell_values import score_of, values_by_seed
from deepmt.results.cells import Cell
from deepmt.results.records import Record
from deepmt.results.results import Results
from deepmt.results.untrained_values import SIZE


@dataclass(frozen=True)
class MeasuredFile:
    """A file of numbers that need no training: what it holds, and the target that makes it."""

    title: str
    path: str
    target: str
    how: str


FILES = {
    "sizes": MeasuredFile(
        "Sizes of models", "params.csv", "params", "Counted on models built at the paper's size."
    ),
    "probes": MeasuredFile(
        "Probes of untrained models",
        "probes/table1.csv",
        "probes",
        "Measured at initialisation, at the paper's size.",
    ),
    "speed": MeasuredFile("Speed", "speed.csv", "speed", "Timed on one machine, in rounds."),
    "statistics": MeasuredFile(
        "Statistics of corpora", "corpora.csv", "corpora", "Counted in the corpora themselves."
    ),
}
KINDS = {SIZE: "sizes", "probe": "probes", "statistic": "statistics"}
"""By measure; every other measure without training is a speed."""
Links = tuple[tuple[str, str], ...]
"""Label and address."""


@dataclass(frozen=True, kw_only=True)
class ExplainedCell:
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
    lines: tuple[ExplainedCell, ...]
    links: Links
    records: tuple[Record, ...] = ()
    """One a seed."""
    files: tuple[Links, ...] = ()
    """Of each seed."""


def origin_of(cell: Cell, row: Row, column: Column, results: Results) -> str:
    """Return the id of the block that says where a cell's number comes from."""
    if results.without_training(row, column) is not None:
        return f"source-{KINDS.get(measure_of(row, column), 'speed')}"
    return f"run-{cell.run}"


def origins(
    papers: Sequence[Paper],
    rendered: Sequence[RenderedTable],
    results: Results,
    folder: Path,
    base: str = "",
) -> list[Origin]:
    """Return what answers the cells: files first, then runs.

    `folder` is results/<scale>, and `base` leads from the page to it.
    """
    tables = {table.id: table for paper in papers for table in paper.tables}
    found: dict[str, list[ExplainedCell]] = {}
    for table in rendered:
        for origin, line in _lines(table, tables[table.id], results):
            found.setdefault(origin, []).append(line)
    files = {f"source-{kind}": file for kind, file in FILES.items()}
    return [
        *(
            _file(name, file, found[name], folder, base)
            for name, file in files.items()
            if name in found
        ),
        *(_run(found[name], results, folder, base) for name in sorted(found) if name not in files),
    ]


def _lines(
    rendered: RenderedTable, table: Table, results: Results
) -> Iterator[tuple[str, ExplainedCell]]:
    """Yield every number of ours in a table, with the id of its origin."""
    for row, (_, text) in zip(table.rows, rendered.frame.iterrows(), strict=True):
        records = results.records_of(row)
        for key, column in table.columns.items():
            cell = rendered.cells.get((row.id, key))
            if cell is None or cell.ours is None:
                continue
            origin = origin_of(cell, row, column, results)
            scores = [score_of(record, row, column)[0] for record in records]
            decimals = row.decimals.get(key, column.decimals)
            seeds = values_by_seed(table, row, column, records) if origin.startswith("run-") else {}
            line = ExplainedCell(
                cell=cell,
                where=f"{rendered.title}, {row.label}, {column.label}",
                ours=text[f"{key}.ours"],
                published=text.get(f"{key}.paper", ""),
                difference=text.get(f"{key}.difference", ""),
                seeds={
                    seed: (value, format_value(value, decimals_of_ours(value, decimals)))
                    for seed, value in seeds.items()
                    if value is not None
                },
                signature="; ".join(dict.fromkeys(score.signature for score in scores if score)),
            )
            yield origin, line


def _file(
    name: str, file: MeasuredFile, lines: list[ExplainedCell], folder: Path, base: str
) -> Origin:
    here = (folder / file.path).exists()
    return Origin(
        id=name,
        title=file.title,
        how=file.how if here else f"{file.how} Taken from records/{file.path}.",
        command=f"snakemake --cores all {file.target} --config scale={lines[0].cell.scale}",
        lines=tuple(lines),
        links=((file.path, base + file.path),) if here else (),
    )


def _run(lines: list[ExplainedCell], results: Results, folder: Path, base: str) -> Origin:
    first = lines[0].cell
    records = results.by_run.get(first.run, [])
    archived = sum(record.archived for record in records)
    seeds = ",".join(str(record.seed) for record in records)
    here = "trained on this machine"
    how = f"{archived} of {len(records)} seeds from records/, the others {here}."
    if archived in (0, len(records)):
        how = "From records/, not trained on this machine." if archived else f"{here.capitalize()}."
    return Origin(
        id=f"run-{first.run}",
        title=first.run,
        how=how,
        command=(
            f"snakemake --cores all --config scale={first.scale} rows={first.row} seeds={seeds}"
        ),
        lines=tuple(lines),
        links=_existing(folder, base, [f"runs/{first.run}/spec.json"]),
        records=tuple(records),
        files=tuple(_seed_files(record, folder, base) for record in records),
    )


def _seed_files(record: Record, folder: Path, base: str) -> Links:
    """Return what lies beside a record; nothing beside one in the archive."""
    if record.archived:
        return ()
    translations = [f"hyp.{name}.txt" for name in sorted(record.scores)]
    names = ["record.json", *translations, "log.jsonl"]
    return _existing(
        folder, base, [f"runs/{record.run}/seed{record.seed}/{name}" for name in names]
    )


def _existing(folder: Path, base: str, paths: Sequence[str]) -> Links:
    return tuple((Path(path).name, base + path) for path in paths if (folder / path).exists())
