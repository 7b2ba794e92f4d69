"""Lay out a rendered table for every format: texts, headings, and links to the records."""

from collections.abc import Callable

import pandas as pd
from pandas.io.formats.style import Styler

from deepmt.judge.cells import Cell
from deepmt.report.rendered_tables import RenderedTable
from deepmt.report.significance_marks import MATRIX
from deepmt.study.papers import Column

PLAIN_HEADINGS = {"group": "", "system": "System", "status": "Status", "verdict": "Verdict"}
HERE = "here"
"""Heading of our columns: in the tables of Zhang 2019, "Ours" is a system."""
Escape = Callable[[str], str]
Link = Callable[[str, Cell], str]
"""Link a text that is escaped to the record of a cell."""


def texts(table: RenderedTable, escape: Escape, link: Link) -> pd.DataFrame:
    """Return the texts of a table, in which every number of ours leads to its record."""
    shown = table.frame.map(escape)
    for name in shown.columns:
        key, _, side = name.rpartition(".")
        if side == "ours":
            cells = [table.cells.get((row, key)) for row in shown.index]
            shown[name] = [
                text if cell is None or cell.ours is None else link(text, cell)
                for text, cell in zip(shown[name], cells, strict=True)
            ]
    return shown


def headings(table: RenderedTable) -> list[tuple[str, str]]:
    """Return the spanner and label of every column; spanners are empty if all numbers are ours."""
    names = list(table.frame.columns)
    alone = all(name.endswith(".ours") for name in names if is_number(name))
    found = []
    for name in names:
        key, _, side = name.rpartition(".")
        sides = {"ours": here(table, key), "difference": "diff."}
        both = (spanner(table, key), sides.get(side, side)) if key else ("", PLAIN_HEADINGS[name])
        found.append(("", both[0] or both[1]) if alone else both)
    return found


def here(table: RenderedTable, key: str) -> str:
    """Return "here", with the scale if what was trained cannot be compared with what is printed."""
    own = [c for (_, column), c in table.cells.items() if column == key and c.ours is not None]
    apart = [c.scale for c in own if c.origin == "runs" and c.verdict == "not-comparable"]
    return f"{HERE} ({apart[0]})" if apart else HERE


def spanner(table: RenderedTable, key: str) -> str:
    """Return the printed label and unit of a column, or a row of the significance matrix."""
    column = table.table.columns.get(key)
    return heading(column) if column else key.removeprefix(MATRIX)


def heading(column: Column) -> str:
    """Return the printed label of a column, and its unit unless label or numbers name it."""
    unit = column.unit.removesuffix(" [%]")
    named = unit.lower() in column.label.lower() or column.suffix or column.measure == "none"
    return column.label if named else f"{column.label}, {unit}"


def is_number(name: str) -> bool:
    """Check if a column of a table's frame holds numbers, which are right-aligned."""
    return name not in PLAIN_HEADINGS


def styled(shown: pd.DataFrame, table: RenderedTable, escape: Escape) -> Styler:
    """Return the texts of a table with its headings, rows named by group and system."""
    named = [name for name in ("group", "system") if name in shown]
    body = shown.drop(columns=named)
    own = [tuple(map(escape, pair)) for pair in headings(table)[len(named) :]]
    # Styler prints the name of the headings above the names of the rows.
    body.columns = pd.MultiIndex.from_tuples(own, names=[None, escape(PLAIN_HEADINGS["system"])])
    if not any(spanner for spanner, _ in own):
        body.columns = body.columns.droplevel(0)
    body.index = pd.MultiIndex.from_frame(shown[named], names=[None] * len(named))
    return body.style
