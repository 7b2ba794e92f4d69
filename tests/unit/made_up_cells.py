"""Made-up cells, and what claims know of them."""

from typing import Any, Literal

from deepmt.judge.cells import Cell
from deepmt.judge.evidence import Evidence
from deepmt.study.paper_claims import Check
from deepmt.study.papers import Column, Table, quantity_of

COLUMNS = {
    "bleu": Column(key="bleu", label="BLEU", unit="BLEU", measure="bleu", better="higher"),
    "comet": Column(key="comet", label="COMET", unit="COMET", measure="comet", better="higher"),
    "ppl": Column(key="ppl", label="PPL", unit="perplexity", measure="ppl_dev", better="lower"),
    "size": Column(key="size", label="#", unit="million parameters", measure="params_m"),
    "beta": Column(key="beta", label="β", unit="ratio; variance for var_r", measure="probe"),
    "speed": Column(key="speed", label="×", unit="ratio", measure="decode_speedup"),
}
TABLE = Table(id="p.table1", number=1, caption="", columns=COLUMNS, rows=())


def cell(name: str, ours: float | None, spread: float | None = None, **changes: Any) -> Cell:
    """Return a made-up cell of ours: three seeds of a run named after its row, and all train."""
    row, _, column = name.rpartition(".")
    plain = {"published": None, "seeds": 3, "unit": COLUMNS[column].unit, "status": "measured"}
    plain |= {"verdict": "not-comparable", "scale": "toy", "run": f"run-{row}", "note": ""}
    own_size = COLUMNS[column].measure in ("params_m", "probe", "decode_speedup")
    plain["trained"] = None if own_size or ours is None else changes.get("seeds", 3)
    places = {"paper": "p", "table": "p.table1", "row": row, "column": column}
    return Cell(**plain | places | {"ours": ours, "spread": spread} | changes)


def evidence(*cells: Cell, **changes: Any) -> Evidence:
    """What is known of made-up cells."""
    named = {f"{cell.row}.{cell.column}": cell for cell in cells}
    asked = {name: quantity_of(TABLE, COLUMNS[cell.column]) for name, cell in named.items()}
    plain = {"scale": "toy", "cells": named, "asked": asked, "comparable_rows": ()}
    plain["outcomes"] = {cell.run: outcome(cell) for cell in cells}
    return Evidence(**plain | changes)


def outcome(cell: Cell) -> Literal["trained", "failed", "undecided"]:
    """How a made-up run ended, if its BLEU is far from 5."""
    return {cell.seeds: "trained", 0: "failed"}.get(cell.trained, "undecided")


def check(**parts: Any) -> Check:
    """A check with every side a tuple, as papers.load leaves it."""
    sides = ("of", "above", "below", "near", "beats", "ties", "beside", "apart")
    wrapped = {k: (v,) if k in sides and not isinstance(v, tuple) else v for k, v in parts.items()}
    return Check(**wrapped)
