"""The tables of a paper as Markdown and as LaTeX."""

from collections.abc import Sequence

import pandas as pd

from deepmt.papers import Paper
from deepmt.report.sheets import Sheet
from deepmt.report.verdict import RULE

LEGEND = (
    "Ours is the mean over the seeds that finished, ± the sample standard deviation. quoted: the"
    " paper took the number from other literature. recorded: ours was taken from records/, not"
    " trained on this machine."
)
PLAIN_HEADINGS = {"group": "", "system": "System", "status": "Status", "verdict": "Verdict"}
TO_MARKDOWN = str.maketrans({c: f"\\{c}" for c in "\\`*_|<#[]"})
TO_LATEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": "$<$", ">": "$>$", "|": r"\textbar{}", "–": "--", "†": r"\dag{}", "‡": r"\ddag{}"}
    | {"±": r"$\pm$", "×": r"$\times$", "≥": r"$\geq$", "⩾": r"$\geq$", "≤": r"$\leq$"}
    | {"≈": r"$\approx$", "∼": r"$\sim$", "∝": r"$\propto$", "∗": "$*$", "·": r"$\cdot$"}
    | {"∆": r"$\Delta$", "△": r"$\triangle$", "∇": r"$\nabla$", "Σ": r"$\Sigma$", "²": "$^2$"}
    | {"α": r"$\alpha$", "β": r"$\beta$", "γ": r"$\gamma$", "ω": r"$\omega$", "√": r"$\surd$"}
    | {"↑": r"$\uparrow$", "↓": r"$\downarrow$", "→": r"$\rightarrow$", "‖": r"$\|$"}
)


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


def latex(paper: Paper, sheets: Sequence[Sheet], scale_note: str) -> str:
    """All tables of a paper as floats for an article to \\input."""
    head = [
        f"% {paper.title}",
        f"% {scale_note}",
        r"% Needs \usepackage{booktabs,graphicx}.",
    ]
    foot = [*comment(LEGEND), *comment(RULE)]
    return "\n".join([*head, *(latex_table(sheet) for sheet in sheets), *foot]) + "\n"


def comment(text: str) -> list[str]:
    """A text as a LaTeX comment."""
    return [f"% {line}" for line in text.split("\n")]


def latex_table(sheet: Sheet) -> str:
    """One booktabs table that shrinks to the line if it is wider."""
    text = sheet.frame.map(lambda cell: cell.translate(TO_LATEX))
    text.columns = pd.MultiIndex.from_tuples(
        [
            tuple(part.translate(TO_LATEX) for part in heading_of(name, sheet))
            for name in sheet.frame.columns
        ]
    )
    alignment = "".join("r" if is_number(name) else "l" for name in sheet.frame.columns)
    body = (
        text.style.hide(axis="index")
        .to_latex(hrules=True, column_format=alignment, multicol_align="c")
        .strip()
    )
    notes = r" \\ ".join(note.translate(TO_LATEX) for note in (sheet.label, *sheet.notes))
    paper = sheet.id.partition(".")[0]
    caption = f"{sheet.title} of {paper}: {sheet.caption}".translate(TO_LATEX)
    return "\n".join(
        [
            r"\begin{table*}[p]",
            r"\centering",
            rf"\caption{{{caption}}}",
            rf"\label{{tab:{sheet.id}}}",
            r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            body + "}",
            rf"\par\footnotesize\raggedright {notes}",
            r"\end{table*}",
        ]
    )
