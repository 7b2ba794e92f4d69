"""Render one printed table as HTML."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd
from markupsafe import Markup, escape

from deepmt.judge.cells import Cell
from deepmt.judge.printed import Verdict
from deepmt.measured.record_file import FAILURES
from deepmt.measured.records import Record
from deepmt.measured.system_value import MEASURED
from deepmt.measured.untrained_values import COUNTED
from deepmt.report.exponents import raised_html
from deepmt.report.origins import facts_of_seed, origin_id
from deepmt.report.rendered_tables import RenderedTable, State
from deepmt.report.significance_marks import MATRIX
from deepmt.report.table_style import PLAIN_HEADINGS, heading, styled, texts

FOLDED: dict[State, str] = {
    "not-run": "not run",
    "quoted": "quoted from other literature",
    "not-applicable": "with nothing to run",
}
"""Rows that wait behind their number."""
MARKS: dict[Verdict, str] = {
    "reproduced": "✓", "weaker": "↓", "stronger": "↑", "contradicted": "✗",
    "differs-on-this-machine": "≠", "undecided": "?", "not-comparable": "",
}  # fmt: skip
"""A verdict behind its number: a column of verdicts would push the numbers off a phone."""


def split_rows(table: RenderedTable) -> tuple[RenderedTable, RenderedTable, str]:
    """Return the rows with a number or an outcome of ours, the others, and why they are folded.

    The reasons are e.g. "Rows: 24 not run, 3 quoted from other literature", or "".
    """
    why = {row: reason for row in table.frame.index if (reason := why_folded(table, row))}
    texts = ", ".join(f"{count} {reason}" for reason, count in Counter(why.values()).items())
    run = table.part(row for row in table.frame.index if row not in why)
    if len(run.frame) == 1:  # tests against other rows compare it with nothing
        tests = [name for name in run.frame if name.startswith(MATRIX)]
        run = replace(run, frame=run.frame.drop(columns=tests))
    return run.lean(), table.part(why).lean(), f"Rows: {texts}" if texts else ""


def why_folded(table: RenderedTable, row: str) -> str:
    """Return why a row has no result of ours, or ""."""
    shown = [cell for cell in table.cells_of(row) if f"{cell.column}.ours" in table.frame]
    measured = {cell.origin for cell in shown if cell.ours is not None}
    if table.states[row] == "untrained" and measured <= {COUNTED}:
        return f"not trained, with {'a size alone' if measured else 'no number of ours'}"
    return FOLDED.get(table.states[row], "")


def table_html(table: RenderedTable) -> Markup:
    """Return a table without styles: style.css has those of both colour schemes."""
    table = replace(table, frame=table.frame.drop(columns="verdict", errors="ignore"))
    shown = texts(table, html, mark)
    if "status" in shown:
        outcomes = map(partial(outcome, table), shown.index)
        shown["status"] = [*map('<span class="{}">{}</span>'.format, outcomes, shown["status"])]
    defined = {heading(one): one.definition for one in table.table.columns.values()}
    named = partial(_heading, defined)
    return Markup(styled(shown, table, named).to_html(exclude_styles=True))


def _heading(defined: Mapping[str, str], text: str) -> str:
    """Mark the heading of a column of words, and give the definition of a printed column."""
    if defined.get(text):
        return str(Markup('<abbr title="{}">{}</abbr>').format(defined[text], text))
    words = text and text in PLAIN_HEADINGS.values()
    return f"<span>{text}</span>" if words else html(text)


def html(text: str) -> str:
    """Escape a text, with l^-1/4 as an exponent; pandas would keep the type of markup."""
    return raised_html(str(escape(text)))


def outcome(table: RenderedTable, row: str) -> str:
    """Return the class of a row's status: if all seeds fail, if some do, or neither."""
    own, state = table.cells_of(row), table.states[row]
    if state in (*FAILURES, "refused"):
        return "fails"
    partly = any(cell.trained is not None and cell.trained < cell.seeds for cell in own)
    return "undecided" if state in MEASURED and partly else ""


def mark(text: str, cell: Cell) -> Markup:
    """Link a number of ours to its origin; its colour and mark are those of its verdict."""
    verdict = Markup('title="{}" data-mark="{}"').format(
        cell.verdict.replace("-", " "), MARKS[cell.verdict]
    )
    link = '<a class="ours {}" href="#{}" data-cell="{}.{}" data-value="{}" {}>{}</a>'
    place = (origin_id(cell), cell.row, cell.column)
    return Markup(link).format(cell.verdict, *place, cell.ours, verdict, Markup(text))


def frame_html(frame: pd.DataFrame, links: Collection[str] = ()) -> Markup:
    """Return counts and texts as a table; the names in `links` lead to their chapters."""
    shown = frame.map(lambda v: html(v) if isinstance(v, str) else f"{v:,}" if v else "–")
    link = Markup('<a href="#{0}">{0}</a>')
    shown.index = [link.format(name) if name in links else html(name) for name in frame.index]
    return Markup(shown.style.to_html(exclude_styles=True))


def seeds_html(records: Sequence[Record]) -> Markup:
    """Return a table with a column for each seed."""
    facts = {f"Seed {r.seed}": facts_of_seed(r) | {"Record": r.location} for r in records}
    return frame_html(pd.DataFrame(facts))


def lines_of(records: Iterable[Record]) -> str:
    """Return the archive's files with the lines of seeds: "multi30k-budget.jsonl:3, 9"."""
    files: dict[str, list[str]] = {}
    for record in records:
        path, _, line = record.location.rpartition(":")
        name, number = (Path(path).name, line) if record.archived else ("seeds", str(record.seed))
        files.setdefault(name, []).append(number)
    return "; ".join(f"{name}:{', '.join(lines)}" for name, lines in files.items())
