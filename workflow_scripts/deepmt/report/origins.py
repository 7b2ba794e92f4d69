"""Trace numbers of ours to their origins: runs, and files of untrained measurements."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from deepmt.judge.cells import Cell
from deepmt.measured.failures import ends
from deepmt.measured.records import Record
from deepmt.measured.system_value import measurement, of_seed, used_seeds
from deepmt.measured.table import Measured
from deepmt.report.rendered_tables import (
    decimals_of_ours,
    format_difference,
    format_ours,
    format_published,
    format_value,
)
from deepmt.study.measures import PPL
from deepmt.study.papers import Column, Row, Table, quantity_of

HASH = 12
"""Digits of a data file's hash that are shown."""
FIRST = ("name", "device", "threads")
"""Facts of a machine that come first."""


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
        "Statistics of corpora", "tables", "Counted in the corpora themselves."
    ),
}


@dataclass(frozen=True, kw_only=True)
class TracedCell:
    """Represent a cell at its origin."""

    cell: Cell
    where: str
    ours: str
    published: str
    verdict: str
    """With the difference that it is about."""
    seeds: Mapping[int, float]
    """Each seed's value."""
    left_out: Mapping[int, str]
    """How the seeds ended that ours leaves out."""
    decimals: int
    notes: str

    @property
    def name(self) -> str:
        """Return the argument of `./deepmt explain` for this cell."""
        return f"{self.cell.row}.{self.cell.column}"

    def of_seed(self, seed: int) -> str:
        """Return the value of a seed as text."""
        if (value := self.seeds.get(seed)) is None:
            return "–"
        return format_value(value, decimals_of_ours(value, self.decimals))


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Represent a run, or a file of numbers that need no training, with its cells."""

    id: str
    title: str
    how: str
    command: str
    cells: tuple[TracedCell, ...]
    files: tuple[str, ...]
    """Below results/<scale>."""
    seeds: tuple[Record, ...] = ()

    @property
    def facts(self) -> dict[str, str]:
        """Return what all seeds of a run share."""
        if not self.seeds:
            return {}
        first = self.seeds[0]
        hashes = sorted(first.data.sha256.items())
        shown = [f"{k} {v[:HASH]}" for k, v in hashes if k.startswith(("ids/", "vocab"))]
        return {
            "Spec": first.spec_sha256,
            "Decoding": ", ".join(_decoding(first)),
            "Data": f"{first.data.dataset}; SHA-256: {', '.join(shown) or 'not recorded'}",
        }


def facts_of_seed(record: Record) -> dict[str, str]:
    """Return what a seed has of its own."""
    end, perplexity = record.failure, record.value(PPL, "dev")
    return {
        "Outcome": record.outcome + (f" at update {end.update}: {end.reason}" if end else ""),
        "Updates": f"{record.updates:,}",
        "Epochs": f"{record.epochs:.1f}",
        "Perplexity, dev": "–" if math.isnan(perplexity) else f"{perplexity:.2f}",
        "Attempts": str(record.attempts),
        "Hardware": describe_hardware(record.hardware),
        "Software": ", ".join(_programs(record)),
        "Commit": record.commit,
        "Finished": record.finished[:16].replace("T", " "),
    }


def describe_hardware(hardware: dict[str, Any]) -> str:
    """Return name, device, threads and other facts in one line, then earlier hardware."""
    if not hardware:
        return "not recorded"
    machines = []
    for one in (hardware, *hardware.get("earlier", ())):
        keys = [key for key in dict.fromkeys((*FIRST, *sorted(one))) if key in one]
        facts = {key: one[key] for key in keys if key != "earlier"}
        parts = [str(v) if key == "name" else f"{key} {v}" for key, v in facts.items()]
        machines.append(", ".join(parts))
    return "; before that ".join(machines)


def _programs(record: Record) -> Iterator[str]:
    """Yield programs with their versions; `explain` compares the sums of our own code."""
    for name, version in record.software.items():
        if not name.endswith("_code"):
            yield f"{name} {version}"


def _decoding(record: Record) -> Iterator[str]:
    shown = {key: value for key, value in record.decoding.items() if key != "seconds"}
    for key, value in sorted(shown.items()):
        name = key.replace("_", " ")
        if isinstance(value, dict):
            yield from (f"{number:.1f} {name} on {split}" for split, number in value.items())
        else:
            yield f"{name} {value}"


def command_of(row: str, scale: str) -> str:
    """Return the command that runs a row at a scale."""
    return f"./deepmt run --cores all --config scale={scale} rows={row}"


def origin_id(cell: Cell) -> str:
    """Return the id of the block for a cell's origin."""
    return f"source-{FILES[cell.origin].target}" if cell.origin in FILES else f"run-{cell.run}"


def address_of(cell: Cell) -> str:
    """Return where the origin of a cell stands, from the folder of tables."""
    return f"../report.html#{origin_id(cell)}"


def traced(table: Table, row: Row, column: Column, cell: Cell, results: Measured) -> TracedCell:
    """Return a cell with the value and the signature of every seed."""
    records = results.records_of(row.id)
    decimals = row.decimals.get(column.key, column.decimals)
    asked = quantity_of(table, column, row)
    trained = cell.origin not in FILES and asked.measure != "delta"
    seeds = {record.seed: of_seed(record, asked) for record in records if trained}
    used = used_seeds(records, asked)
    left_out = {one.seed: ends([one]) for one in records if trained and one not in used}
    scores = [measurement(record, asked.measure, asked.split) for record in records]
    signatures = dict.fromkeys(one.signature for one in scores if one and one.signature)
    difference = format_difference(cell, decimals)
    return TracedCell(
        cell=cell,
        where=f"Table {table.number}, {row.label}, {column.label}",
        ours=format_ours(cell, decimals),
        published=format_published(cell, row, decimals, column.suffix),
        verdict=cell.verdict.replace("-", " ") + f" (difference {difference})" * bool(difference),
        seeds={seed: value for seed, value in seeds.items() if value is not None},
        left_out=left_out,
        decimals=decimals,
        notes="; ".join(filter(None, (*signatures, cell.note))),
    )


def origins(cells: Iterable[TracedCell], results: Measured, folder: Path) -> list[Origin]:
    """Return the origins of cells: files first, then runs.

    `folder` is results/<scale>.
    """
    found: dict[str, list[TracedCell]] = {}
    for one in cells:
        origin = one.cell.origin if one.cell.origin in FILES else one.cell.run
        found.setdefault(origin, []).append(one)
    files = [_file(path, found[path], folder) for path in FILES if path in found]
    return files + [_run(found[run], results, folder) for run in sorted(found.keys() - FILES)]


def _file(path: str, cells: list[TracedCell], folder: Path) -> Origin:
    title, target, how = FILES[path]
    files, first = _existing(folder, [path]), cells[0].cell
    # The target `tables` trains all rows but those of statistics; the others train none.
    rows = f" rows={first.row}" if target == "tables" else ""
    return Origin(
        id=origin_id(first),
        title=title,
        how=f"{how} Taken from {path if files else f'records/{path}'}.",
        command=f"./deepmt run --cores all {target} --config scale={first.scale}{rows}",
        cells=tuple(cells),
        files=files,
    )


def _run(cells: list[TracedCell], results: Measured, folder: Path) -> Origin:
    first = cells[0].cell
    records = results.by_run.get(first.run, [])
    archived = sum(record.archived for record in records)
    how = f"{archived} of {len(records)} seeds from records/, the others trained on this machine."
    if archived in (0, len(records)):
        how = "From records/." if archived else "Trained on this machine."
    command = command_of(first.row, first.scale)
    seeds = ",".join(str(record.seed) for record in records)
    names = [f"runs/{first.run}/spec.json"]
    for record in records:
        if not record.archived:
            translations = [f"hyp.{split}.txt" for split in sorted(record.scores)]
            own = f"runs/{record.run}/seed{record.seed}"
            names += [f"{own}/{name}" for name in ("record.json", *translations, "log.jsonl")]
    return Origin(
        id=origin_id(first),
        title=first.run,
        how=how if records else "No record yet.",
        command=f"{command} seeds={seeds}" if seeds else command,
        cells=tuple(cells),
        files=_existing(folder, names),
        seeds=tuple(records),
    )


def _existing(folder: Path, paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(path for path in paths if (folder / path).exists())
