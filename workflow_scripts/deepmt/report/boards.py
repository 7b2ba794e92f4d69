"""Summarise which methods train at which depth, and what that says of each paper: one board."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from deepmt.config.papers import Paper, Row
from deepmt.config.settings import OWN_PAPER, load_plan, rows_of
from deepmt.report.claims import judge_claim
from deepmt.report.comparison import Status
from deepmt.report.evidence import count, gather_evidence
from deepmt.results.cells import Cell, all_cells
from deepmt.results.failures import failures
from deepmt.results.records import Record
from deepmt.results.results import Results, gather
from deepmt.results.run_outcome import low_scores, trains

MOST_POINTS = 40
"""Points of a training curve that a tile shows."""
Outcome = Literal["trained", "partly", "learned-nothing", "failed"]


@dataclass(frozen=True, kw_only=True)
class Tile:
    """Represent one method at one depth."""

    method: str
    deep: bool
    """In a group of deep systems."""
    depth: tuple[int, int]
    """Layers of encoder and decoder."""
    outcome: Outcome
    bleu: float | None
    """Mean over the seeds that train, or over all if none does."""
    spread: float | None
    trained: int
    seeds: int
    note: str
    """How seeds failed, or ""."""
    loss: tuple[tuple[int, float], ...]
    """Update and training loss of the first seed that has a training curve."""


@dataclass(frozen=True, kw_only=True)
class PaperFinding:
    """Represent what a paper finds, and what was seen of it at one scale."""

    paper: str
    statement: str
    seen: str
    """The score of each system that decides, how many of its seeds train, or that none was run."""
    status: Status
    seeds: int
    """The fewest of these systems."""


@dataclass(frozen=True, kw_only=True)
class Board:
    """Hold the tiles of one scale."""

    scale: str
    title: str
    note: str
    recorded: bool
    """Made from records/ alone."""
    tiles: tuple[Tile, ...]
    findings: tuple[PaperFinding, ...] = ()


def recorded_board(root: Path, scale: str) -> Board:
    """Return the board of a scale's records."""
    asked = {"scale": scale, "papers": [OWN_PAPER], "rows": ["all"], "from": "records"}
    plan = load_plan(root, asked)
    results = gather(plan, root, root / plan.config.results)
    [paper] = plan.papers
    return board(paper, results, all_cells([paper], results))


def board(paper: Paper, results: Results, cells: Sequence[Cell]) -> Board:
    """Return a tile for every row with records in a paper's first table, that of all methods."""
    losses = {
        (one.run, one.seed): [
            (update, math.nan if loss is None else loss)
            for update, loss in zip(section["update"], section.get("loss", ()), strict=False)
        ]
        for one in results.curves
        if (section := one.progress)
    }
    table, *_ = paper.tables
    bleu = {cell.row: cell for cell in cells if (cell.table, cell.column) == (table.id, "bleu")}
    tiles = []
    for row in table.rows:
        records = results.records_of(row)
        if not records:
            continue
        spec, cell = results.specs[row.id], bleu[row.id]
        curves = (losses.get((record.run, record.seed), []) for record in records)
        curve = next(filter(None, curves), [])
        tiles.append(
            Tile(
                method=row.label,
                deep="deep" in row.group,
                depth=(spec.encoder.layers, spec.decoder.layers),
                outcome=_outcome(records),
                bleu=cell.ours,
                spread=cell.spread,
                trained=sum(map(trains, records)),
                seeds=len(records),
                note=failures(records) or low_scores(records),
                loss=tuple(curve[:: math.ceil(len(curve) / MOST_POINTS) or 1]),
            )
        )
    recorded = all(record.archived for record in results.records)
    return Board(
        scale=results.scale,
        title=results.scale_title,
        note=results.scale_note,
        recorded=recorded,
        tiles=tuple(tiles),
        findings=tuple(paper_findings(paper, results, cells)),
    )


def paper_findings(paper: Paper, results: Results, cells: Sequence[Cell]) -> Iterator[PaperFinding]:
    """Yield a finding for every claim that repeats one of another paper and can be judged."""
    evidence = gather_evidence(paper, cells, results, {})
    rows = {row.id.removeprefix(f"{paper.key}."): row for row in rows_of(paper)}
    for claim in paper.claims:
        judged = judge_claim(claim, paper, evidence)
        if not claim.repeats or judged.status == "not-measured":
            continue
        names = dict.fromkeys(name for check in claim.judge for name in check.cells)
        found = [(rows[name.rpartition(".")[0]], evidence.cells[name]) for name in names]
        yield PaperFinding(
            paper=claim.repeats,
            statement=claim.statement,
            seen="; ".join(_seen(row, results, cell) for row, cell in found),
            status=judged.status,
            seeds=min(cell.seeds for _, cell in found if cell.seeds),
        )


def _seen(row: Row, results: Results, cell: Cell) -> str:
    """Return e.g. "pre-norm 12+12 27.0 ± 0.7", or how many seeds train if not all do."""
    if not cell.seeds:
        return f"{row.label} was not run"
    spec = results.specs[row.id]
    name = f"{row.label} {spec.encoder.layers}+{spec.decoder.layers}"
    if cell.trained is not None and cell.trained < cell.seeds:
        return f"{name} trains {count(cell.trained, cell.seeds)}"
    if cell.ours is None:
        return f"{name} {cell.status}"
    spread = "" if cell.spread is None else f" ± {cell.spread:.1f}"
    return f"{name} {cell.ours:.1f}{spread}"


def _outcome(records: Sequence[Record]) -> Outcome:
    trained = sum(map(trains, records))
    if trained:
        return "trained" if trained == len(records) else "partly"
    nothing = {"finished", "collapsed", "stalled"}
    return "learned-nothing" if nothing & {one.outcome for one in records} else "failed"
