"""Render the tables of a paper as Markdown."""

from collections.abc import Sequence

from deepmt.judge.cells import Cell
from deepmt.judge.printed import RULE
from deepmt.report.origins import address_of
from deepmt.report.rendered_tables import RenderedTable
from deepmt.report.table_style import headings, is_number, texts
from deepmt.study.papers import Paper

LEGEND = (
    "here: the mean over the seeds that finished, ± the sample standard deviation; brackets hold"
    " 95 % intervals. diff.:"
    " here minus paper, where the two are comparable. quoted: the paper took the number from"
    " other literature. recorded: taken from records/, not trained on this machine."
)
ONE_LINE = str.maketrans(dict.fromkeys("\n\v\f\r", " "))
TO_MARKDOWN = ONE_LINE | str.maketrans({c: f"\\{c}" for c in "\\`*_|<&#[]"})


def markdown(paper: Paper, tables: Sequence[RenderedTable], scale_note: str) -> str:
    """Return all tables of a paper in one Markdown text."""
    parts = [f"# {plain(paper.title)}", f"> {plain(scale_note)}"]
    for table in (table.lean() for table in tables):
        parts.append(f"## {plain(f'Table {table.table.number}. {table.table.caption}')}")
        parts.append(f"**{plain(table.label)}**")
        parts.append(markdown_table(table))
        parts.append("\n".join(f"- {plain(note)}" for note in table.notes))
    parts += [LEGEND, RULE]
    return "\n\n".join(part for part in parts if part) + "\n"


def markdown_table(table: RenderedTable) -> str:
    """Return one pipe table, with column labels before "paper" and "ours"."""
    return texts(table, plain, linked).to_markdown(
        index=False,
        headers=[plain(" ".join(pair).strip()) for pair in headings(table)],
        colalign=["right" if is_number(name) else "left" for name in table.frame.columns],
        disable_numparse=True,
    )


def plain(text: str) -> str:
    """Escape a text."""
    return text.translate(TO_MARKDOWN)


def linked(text: str, cell: Cell) -> str:
    """Link a number to its record."""
    return f"[{text}]({address_of(cell)})"
