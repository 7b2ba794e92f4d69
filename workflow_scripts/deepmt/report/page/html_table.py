"""Render one printed table as HTML with great_tables."""

import re
from collections import Counter
from dataclasses import replace

import pandas as pd
from great_tables import GT, html, loc, style
from markupsafe import Markup, escape

from deepmt.report.markdown import heading_of, is_number
from deepmt.report.provenance import origin_id
from deepmt.report.rendered_tables import RenderedTable, State
from deepmt.results.cells import Cell
from deepmt.results.records import FAILURES
from deepmt.results.untrained_values import COUNTED
from deepmt.results.verdict import MEASURED

COLOURS: dict[str, str] = {
    **dict.fromkeys(FAILURES, "var(--unsure)"),
    "diverged": "var(--bad)",
    "measured": "var(--good)",
    "recorded": "var(--good)",
    "failed": "var(--bad)",
}
"""Colours of the status column by state, as on the board; all other states are muted."""


FOLDED: dict[State, str] = {
    "not-run": "not run",
    "quoted": "quoted from other literature",
    "not-applicable": "with nothing to run",
}
"""Rows that wait behind their number."""


def folded_rows(table: RenderedTable) -> str:
    """Return e.g. "24 rows not run, 3 quoted from other literature", or "" if there are none."""
    found = (why_folded(table, *pair) for pair in zip(table.rows, table.states, strict=True))
    texts = [f"{count} {why}" for why, count in Counter(filter(None, found)).items()]
    return f"Rows: {', '.join(texts)}" if texts else ""


def why_folded(table: RenderedTable, row: str, state: State) -> str:
    """Return the reason why a row is folded, or "" for a row with a result of ours."""
    found = (cell for (name, _), cell in table.cells.items() if name == row)
    measured = {cell.origin for cell in found if cell.ours is not None}
    if state == "untrained" and measured == {COUNTED}:
        return "not trained, with a size alone"
    return FOLDED.get(state, "")


def run_rows(table: RenderedTable) -> RenderedTable:
    """Return the table of the rows with a number or an outcome of ours."""
    return table.part(lambda row, state: not why_folded(table, row, state))


def other_rows(table: RenderedTable) -> RenderedTable:
    """Return the table of the rows that are folded."""
    found = table.part(lambda row, state: bool(why_folded(table, row, state)))
    return replace(found, id=f"{table.id}.folded")


def table_html(table: RenderedTable) -> Markup:
    """Return a table without great_tables' style sheet, which has no dark mode."""
    frame = _name_groups(table)
    names = list(frame.columns)
    marked = [name for name in names if name.endswith((".paper", ".ours"))]
    for name in marked:
        key, _, side = name.rpartition(".")
        cells = [table.cells.get((row, key)) for row in table.rows]
        frame[name] = [
            mark(text, cell, side) for text, cell in zip(frame[name], cells, strict=True)
        ]
    gt = GT(
        frame,
        rowname_col="system",
        groupname_col="group" if "group" in names else None,
    ).fmt(str, columns=marked)
    for key, label in table.spanners.items():
        own = [name for name in names if name.rpartition(".")[0] == key]
        # In labels, great_tables parses units within {{}} and passes HTML around them unescaped.
        plain = html(escape(label).replace("{", Markup("&#123;")))
        gt = gt.tab_spanner(label=plain, columns=own, id=key)
    gt = gt.cols_label({name: heading_of(name, table)[1] for name in names})
    for name in names:
        gt = gt.cols_align("right" if is_number(name) else "left", [name])
    gt = gt.tab_stubhead("System")
    for position, state in enumerate(table.states):
        colour = style.css(f"color: {colour_of(table, table.rows[position], state)}")
        gt = gt.tab_style(colour, loc.body(columns=["status"], rows=[position]))
    for name in names:
        if name.endswith(".ours"):
            gt = gt.tab_style(style.css("background: var(--ours)"), loc.body(columns=[name]))
    [markup] = re.findall(r"<table.*</table>", gt.as_raw_html(), re.DOTALL)
    return Markup(_unique_ids(markup, table.id))


def colour_of(table: RenderedTable, row: str, state: State) -> str:
    """Return the colour of a row's status; amber if not every seed trains."""
    own = [cell for (name, _), cell in table.cells.items() if name == row]
    partly = any(cell.trained is not None and cell.trained < cell.seeds for cell in own)
    if state in MEASURED and partly:
        return "var(--unsure)"
    return COLOURS.get(state, "var(--muted)")


def mark(text: str, cell: Cell | None, side: str) -> Markup:
    """Return a cell's text with the number at full precision; link ours to its origin."""
    if cell is None or (cell.published if side == "paper" else cell.ours) is None:
        return escape(text)
    if side == "paper":
        return Markup('<span data-published="{}">{}</span>').format(cell.published, text)
    spread = "" if cell.spread is None else Markup(' data-spread="{}"').format(cell.spread)
    return Markup('<a class="ours" href="#{}" data-cell="{}.{}" data-value="{}"{}>{}</a>').format(
        origin_id(cell), cell.row, cell.column, cell.ours, spread, text
    )


def _name_groups(table: RenderedTable) -> pd.DataFrame:
    """Name the group of ungrouped rows, which would otherwise join the last group."""
    if "group" not in table.frame.columns:
        return table.frame.copy()
    loose = {
        state for state, group in zip(table.states, table.frame["group"], strict=True) if not group
    }
    name = "Quoted from other literature" if loose == {"quoted"} else "Other systems"
    return table.frame.assign(group=table.frame["group"].replace("", name))


def _unique_ids(markup: str, prefix: str) -> str:
    """Prefix every id with the table's id, since a page has many tables."""

    def rename(found: re.Match[str]) -> str:
        words = " ".join(f"{prefix}-{word}" for word in found[2].split())
        return f'{found[1]}="{words}"'

    return re.sub(r'\b(id|headers)="([^"]*)"', rename, markup)
