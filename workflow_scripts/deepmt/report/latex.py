r"""Render the tables of a paper as LaTeX floats for an article to \input."""

from collections.abc import Sequence
from itertools import groupby

import pandas as pd

from deepmt.judge.cells import Cell
from deepmt.judge.printed import RULE
from deepmt.report.exponents import raised_latex
from deepmt.report.markdown import LEGEND, ONE_LINE
from deepmt.report.origins import address_of
from deepmt.report.rendered_tables import RenderedTable
from deepmt.report.table_style import headings, is_number, styled, texts
from deepmt.study.papers import Paper

PACKAGES = ("array", "booktabs", "graphicx", "rotating", "hyperref")
TO_LATEX = ONE_LINE | str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    # Unprotected, both would be read as options of the preceding line break.
    | {"*": "{*}", "[": "{[}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": "$<$", ">": "$>$", "|": r"\textbar{}", "–": "--", "†": r"\dag{}", "‡": r"\ddag{}"}
    | {"±": r"$\pm$", "×": r"$\times$", "≥": r"$\geq$", "⩾": r"$\geq$", "≤": r"$\leq$"}
    | {"≈": r"$\approx$", "∼": r"$\sim$", "∝": r"$\propto$", "∗": "$*$", "·": r"$\cdot$"}
    | {"∆": r"$\Delta$", "△": r"$\triangle$", "∇": r"$\nabla$", "Σ": r"$\Sigma$", "²": "$^2$"}
    | {"α": r"$\alpha$", "β": r"$\beta$", "γ": r"$\gamma$", "ω": r"$\omega$", "√": r"$\surd$"}
    | {"↑": r"$\uparrow$", "↓": r"$\downarrow$", "→": r"$\rightarrow$", "‖": r"$\|$"}
)
UPRIGHT = 130
"""Characters per line of an upright page; wider tables are rotated."""
LONGEST = 30
"""Characters of a text above which it is broken into lines."""
BROKEN = r">{\raggedright\arraybackslash}p{4.2cm}"


def latex(paper: Paper, tables: Sequence[RenderedTable], scale_note: str) -> str:
    r"""Return all tables of a paper as floats for an article to \input."""
    head = [f"% {text.translate(ONE_LINE)}" for text in (paper.title, scale_note)]
    needs = (
        rf"% Needs \usepackage{{{','.join(PACKAGES)}}}; docs/tables.tex is an article around it."
    )
    foot = [f"% {LEGEND}", f"% {RULE}"]
    return "\n".join([*head, needs, *(latex_table(table) for table in tables), *foot]) + "\n"


def latex_table(table: RenderedTable) -> str:
    """Return one booktabs table; rotate wide tables, and scale down those still too wide."""
    table = table.lean()
    float_name = "sidewaystable*" if _width(table.frame) > UPRIGHT else "table*"
    id, caption = table.table.id, table.table.caption
    title = f"Table {table.table.number} of {id.partition('.')[0]}: {caption}"
    notes = map(plain, (table.label, *table.notes))
    return "\n".join(
        [
            rf"\begin{{{float_name}}}[p]",
            r"\centering\footnotesize",
            rf"\caption{{{plain(title)}}}",
            rf"\label{{tab:{id}}}",
            r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            _tabular(table) + r"}\par\smallskip",
            *(rf"\par\raggedright {note}" for note in notes),
            rf"\end{{{float_name}}}",
        ]
    )


def plain(text: str) -> str:
    """Escape a text, and raise its exponents."""
    return raised_latex(text.translate(TO_LATEX))


def linked(text: str, cell: Cell) -> str:
    """Link a number to its record."""
    return rf"\href{{{plain(address_of(cell))}}}{{{text}}}"


def _tabular(table: RenderedTable) -> str:
    shown = texts(table, plain, linked)
    if "group" in shown:
        first = shown["group"] == shown["group"].iloc[0]
        shown["group"] = shown["group"].where(first, r"\addlinespace " + shown["group"])
    alignment = "".join(_alignment(name, table.frame[name]) for name in table.frame.columns)
    body = styled(shown, table, plain).to_latex(
        hrules=True, column_format=alignment, multicol_align="c", multirow_align="naive"
    )
    lines = body.strip().split("\n")
    spanners = [spanner for spanner, _ in headings(table)]
    if any(spanners):
        lines.insert(lines.index(r"\toprule") + 2, "".join(_rules_below(spanners)))
    return "\n".join(lines)


def _alignment(name: str, column: "pd.Series[str]") -> str:
    if is_number(name):
        return "r"
    return BROKEN if column.str.len().max() > LONGEST else "l"


def _rules_below(spanners: Sequence[str]) -> list[str]:
    rules, place = [], 1
    for spanner, group in groupby(spanners):
        end = place + len(list(group)) - 1
        rules += [rf"\cmidrule(lr){{{place}-{end}}}"] if spanner else []
        place = end + 1
    return rules


def _width(frame: pd.DataFrame) -> int:
    """Return the characters of the longest line with broken texts, two for each gap."""
    longest = [frame[name].str.len().max() for name in frame.columns]
    return sum(min(length, LONGEST) + 2 for length in longest)
