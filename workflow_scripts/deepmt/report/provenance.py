"""List the origins of the numbers of a page: runs, and files of untrained measurements."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from deepmt.config.papers import Table
from deepmt.report.rendered_tables import RenderedTable, decimals_of_ours, format_value
from deepmt.results.cell_values import score_of, values_by_seed
from deepmt.results.cells import Cell
from deepmt.results.records import Record
from deepmt.results.results import Results


class MeasuredFile(NamedTuple):
    """Describe a file of numbers that need no training, and the target that makes it."""

    title: str
    target: str
    how: str


FILES = {
    "params.csv": MeasuredFile(
        "Sizes of models", "params", "Counted on models built at the paper's size."
    ),
    "probes/table1.csv": MeasuredFile(
        "Probes of untrained models", "probes", "Measured at initialisation, at the paper's size."
    ),
    "speed.csv": MeasuredFile("Speed", "speed", "Timed on one machine, in rounds."),
    "corpora.csv": MeasuredFile(
        "Statistics of corpora", "corpora", "Counted in the corpora themselves."
    ),
}
Links = tuple[tuple[str, str], ...]
"""Label and address."""


@dataclass(frozen=True, kw_only=True)
class ExplainedCell:
    """Represent a cell in the block of its origin."""

    cell: Cell
    where: str
    ours: str
    published: str
    difference: str
    """Ours minus the published value, if the two are comparable."""
    seeds: Mapping[int, tuple[float, str]]
    """Each seed's value, and the value as text."""
    signature: str

    @property
    def name(self) -> str:
        """Return the argument of explain.py for this cell."""
        return f"{self.cell.row}.{self.cell.column}"


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Represent a run, or a file of numbers that need no training, with its cells."""

    id: str
    title: str
    how: str
    command: str
    lines: tuple[ExplainedCell, ...]
    links: Links
    records: tuple[Record, ...] = ()
    """One per seed."""
    files: tuple[Links, ...] = ()
    """Files of each seed."""


def origin_id(cell: Cell) -> str:
    """Return the id of the block for a cell's origin."""
    return f"source-{FILES[cell.origin].target}" if cell.origin in FILES else f"run-{cell.run}"


def origins(
    tables: Iterable[tuple[Table, RenderedTable]], results: Results, folder: Path, base: str = ""
) -> list[Origin]:
    """Return the origins of the cells: files first, then runs.

    `folder` is results/<scale>, and `base` leads from the page to it.
    """
    found: dict[str, list[ExplainedCell]] = {}
    for table, rendered in tables:
        for line in _lines(table, rendered, results):
            cell = line.cell
            origin = cell.origin if cell.origin in FILES else cell.run
            found.setdefault(origin, []).append(line)
    files = [_file(path, found[path], folder, base) for path in FILES if path in found]
    runs = sorted(found.keys() - FILES.keys())
    return files + [_run(found[run], results, folder, base) for run in runs]


def _lines(table: Table, rendered: RenderedTable, results: Results) -> Iterator[ExplainedCell]:
    """Yield every number of ours in a table."""
    for row, (_, text) in zip(table.rows, rendered.frame.iterrows(), strict=True):
        records = results.records_of(row)
        for key, column in table.columns.items():
            cell = rendered.cells.get((row.id, key))
            if cell is None or cell.ours is None:
                continue
            scores = [score_of(record, row, column)[0] for record in records]
            decimals = row.decimals.get(key, column.decimals)
            seeds = {} if cell.origin in FILES else values_by_seed(table, row, column, records)
            yield ExplainedCell(
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


def _file(path: str, lines: list[ExplainedCell], folder: Path, base: str) -> Origin:
    title, target, how = FILES[path]
    here = (folder / path).exists()
    return Origin(
        id=origin_id(lines[0].cell),
        title=title,
        how=how if here else f"{how} Taken from records/{path}.",
        command=f"snakemake --cores all {target} --config scale={lines[0].cell.scale}",
        lines=tuple(lines),
        links=((path, base + path),) if here else (),
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
        id=origin_id(first),
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
    """Return links to the files beside a record; empty for archived records."""
    if record.archived:
        return ()
    translations = [f"hyp.{name}.txt" for name in sorted(record.scores)]
    names = ["record.json", *translations, "log.jsonl"]
    return _existing(
        folder, base, [f"runs/{record.run}/seed{record.seed}/{name}" for name in names]
    )


def _existing(folder: Path, base: str, paths: Sequence[str]) -> Links:
    return tuple((Path(path).name, base + path) for path in paths if (folder / path).exists())
