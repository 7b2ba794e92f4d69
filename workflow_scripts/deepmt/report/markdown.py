"""Render the tables of a paper as Markdown, with helpers for all formats."""

from collections.abc import Sequence

from deepmt.config.papers import Paper
from deepmt.report.rendered_tables import RenderedTable
from deepmt.results.verdict import RULE

LEGEND = (
    "Ours is the mean over the seeds that finished, ± the sample standard deviation. difference:"
    " ours minus the paper's, where the two are comparable. quoted: the paper took the number from"
    " other literature. recorded: ours was taken from records/, not trained on this machine."
)
PLAIN_HEADINGS = {"group": "", "system": "System", "status": "Status", "verdict": "Verdict"}
ONE_LINE = str.maketrans(dict.fromkeys("\n\v\f\r", " "))
TO_MARKDOWN = ONE_LINE | str.maketrans({c: f"\\{c}" for c in "\\`*_|<&#[]"})


def heading_of(name: str, table: RenderedTable) -> tuple[str, str]:
    """Return the spanner and label of a column of a table's frame."""
    if name in PLAIN_HEADINGS:
        return "", PLAIN_HEADINGS[name]
    key, _, side = name.rpartition(".")
    return table.spanners[key], side


def is_number(name: str) -> bool:
    """Check if a column of a table's frame holds numbers, which are right-aligned."""
    return name not in PLAIN_HEADINGS


def markdown(paper: Paper, tables: Sequence[RenderedTable], scale_note: str) -> str:
    """Return all tables of a paper in one Markdown text."""
    parts = [f"# {paper.title.translate(TO_MARKDOWN)}", f"> {scale_note.translate(TO_MARKDOWN)}"]
    for table in tables:
        title = f"{table.title}. {table.caption}"
        parts.append(f"## {title.translate(TO_MARKDOWN)}")
        parts.append(f"**{table.label.translate(TO_MARKDOWN)}**")
        parts.append(markdown_table(table))
        parts.append("\n".join(f"- {note.translate(TO_MARKDOWN)}" for note in table.notes))
    parts += [LEGEND, RULE]
    return "\n\n".join(part for part in parts if part) + "\n"


def markdown_table(table: RenderedTable) -> str:
    """Return one pipe table, with column labels before "paper" and "ours"."""
    text = table.frame.map(lambda cell: cell.translate(TO_MARKDOWN))
    headings = [" ".join(heading_of(name, table)).strip() for name in table.frame.columns]
    return text.to_markdown(
        index=False,
        headers=[heading.translate(TO_MARKDOWN) for heading in headings],
        colalign=["right" if is_number(name) else "left" for name in table.frame.columns],
        disable_numparse=True,
    )
