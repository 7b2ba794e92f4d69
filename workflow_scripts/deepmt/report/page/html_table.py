"""One printed table as HTML, by great_tables."""

import re
from collections.abc import Callable

import pandas as pd
from great_tables import GT, loc, style
from markupsafe import Markup, escape

from deepmt.report.sheets import Sheet
from deepmt.report.tables import heading_of, is_number
from deepmt.results.cells import Cell

COLOURS = {
    "diverged": "var(--bad)",
    "measured": "var(--good)",
    "recorded": "var(--good)",
    "failed": "var(--bad)",
}
"""Of what stands in the status column; everything else is muted."""


def table_html(sheet: Sheet, origin: Callable[[Cell], str]) -> Markup:
    """Without great_tables' style sheet, which knows no dark mode; `origin`: where a cell leads."""
    frame = _name_groups(sheet)
    names = list(frame.columns)
    marked = [name for name in names if name.endswith((".paper", ".ours"))]
    for name in marked:
        key, _, side = name.rpartition(".")
        cells = [sheet.cells.get((row, key)) for row in sheet.rows]
        frame[name] = [
            mark(text, cell, side, origin) for text, cell in zip(frame[name], cells, strict=True)
        ]
    table = GT(
        frame,
        rowname_col="system",
        groupname_col="group" if "group" in names else None,
    ).fmt(str, columns=marked)
    for key, label in sheet.spanners.items():
        own = [name for name in names if name.rpartition(".")[0] == key]
        table = table.tab_spanner(label=label, columns=own, id=key)
    table = table.cols_label({name: heading_of(name, sheet)[1] for name in names})
    for name in names:
        table = table.cols_align("right" if is_number(name) else "left", [name])
    table = table.tab_stubhead("System")
    for position, state in enumerate(sheet.states):
        colour = style.css(f"color: {COLOURS.get(state, 'var(--muted)')}")
        table = table.tab_style(colour, loc.body(columns=["status"], rows=[position]))
    for name in names:
        if name.endswith(".ours"):
            table = table.tab_style(style.css("background: var(--ours)"), loc.body(columns=[name]))
    [markup] = re.findall(r"<table.*</table>", table.as_raw_html(), re.DOTALL)
    return Markup(_unique_ids(markup, sheet.id))


def mark(text: str, cell: Cell | None, side: str, origin: Callable[[Cell], str]) -> Markup:
    """Text of a cell with its number at full precision; a number of ours leads to its origin."""
    if cell is None:
        return escape(text)
    if side == "paper":
        if cell.published is None:
            return escape(text)
        return Markup('<span data-published="{}">{}</span>').format(cell.published, text)
    if cell.ours is None:
        return escape(text)
    spread = "" if cell.spread is None else Markup(' data-spread="{}"').format(cell.spread)
    return Markup('<a class="ours" href="#{}" data-cell="{}.{}" data-value="{}"{}>{}</a>').format(
        origin(cell), cell.row, cell.column, cell.ours, spread, text
    )


def _name_groups(sheet: Sheet) -> pd.DataFrame:
    """Rows outside the table's groups need a heading of their own, or they join the last group."""
    if "group" not in sheet.frame.columns:
        return sheet.frame.copy()
    loose = {
        state for state, group in zip(sheet.states, sheet.frame["group"], strict=True) if not group
    }
    name = "Quoted from other literature" if loose == {"quoted"} else "Other systems"
    return sheet.frame.assign(group=sheet.frame["group"].replace("", name))


def _unique_ids(markup: str, prefix: str) -> str:
    """Put the table's id before every id, since a page holds many tables."""

    def rename(found: re.Match[str]) -> str:
        words = " ".join(f"{prefix}-{word}" for word in found[2].split())
        return f'{found[1]}="{words}"'

    return re.sub(r'\b(id|headers)="([^"]*)"', rename, markup)
