"""The tables of a paper as Markdown, and what all formats share."""

from collections.abc import Sequence

from deepmt.config.papers import Paper
from deepmt.report.sheets import Sheet
from deepmt.results.verdict import RULE

LEGEND = (
    "Ours is the mean over the seeds that finished, ± the sample standard deviation. difference:"
    " ours less the paper's, where the two may be compared. quoted: the paper took the number from"
    " other literature. recorded: ours was taken from records/, not trained on this machine."
)
PLAIN_HEADINGS = {"group": "", "system": "System", "status": "Status", "verdict": "Verdict"}
TO_MARKDOWN = str.maketrans({c: f"\\{c}" for c in "\\`*_|<#[]"})


def heading_of(name: str, sheet: Sheet) -> tuple[str, str]:
    """Spanner and label of a column of a sheet's frame."""
    if name in PLAIN_HEADINGS:
        return "", PLAIN_HEADINGS[name]
    key, _, side = name.rpartition(".")
    return sheet.spanners[key], side


def is_number(name: str) -> bool:
    """Whether a column of a sheet's frame holds numbers, which align to the right."""
    return name not in PLAIN_HEADINGS


def markdown(paper: Paper, sheets: Sequence[Sheet], scale_note: str) -> str:
    """All tables of a paper in one Markdown text."""
    parts = [f"# {paper.title.translate(TO_MARKDOWN)}", f"> {scale_note}"]
    for sheet in sheets:
        title = f"{sheet.title}. {sheet.caption}"
        parts.append(f"## {title.translate(TO_MARKDOWN)}")
        parts.append(f"**{sheet.label.translate(TO_MARKDOWN)}**")
        parts.append(markdown_table(sheet))
        parts.append("\n".join(f"- {note.translate(TO_MARKDOWN)}" for note in sheet.notes))
    parts += [LEGEND, RULE]
    return "\n\n".join(part for part in parts if part) + "\n"


def markdown_table(sheet: Sheet) -> str:
    """One table with pipes; the label of a column stands before "paper" and "ours"."""
    text = sheet.frame.map(lambda cell: cell.translate(TO_MARKDOWN))
    headings = [" ".join(heading_of(name, sheet)).strip() for name in sheet.frame.columns]
    return text.to_markdown(
        index=False,
        headers=[heading.translate(TO_MARKDOWN) for heading in headings],
        colalign=["right" if is_number(name) else "left" for name in sheet.frame.columns],
        disable_numparse=True,
    )
