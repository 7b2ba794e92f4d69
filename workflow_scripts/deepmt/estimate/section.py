"""A table as text, for a terminal and for Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import TextWrapper

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH = 100
"""Characters: any terminal has them, and so has a log."""
WRAPPER = TextWrapper(WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


@dataclass(frozen=True, kw_only=True)
class Section:
    """A heading, a table and what must be known of it; columns that start with > are numbers."""

    title: str
    columns: tuple[str, ...] = ()
    rows: Sequence[tuple[str, ...]] = ()
    notes: tuple[str, ...] = ()


def show(section: Section, console: Console) -> None:
    """Print it; long cells are folded, never cut."""
    console.print(Text(f"\n{section.title}", style="bold"))
    if section.rows:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
        for column in section.columns:
            number = column.startswith(">")
            table.add_column(
                column.lstrip(">"),
                justify="right" if number else "left",
                no_wrap=number,
                overflow="fold",
            )
        for row in section.rows:
            table.add_row(*map(Text, row))
        console.print(table)
    for note in section.notes:
        console.print(Text(WRAPPER.fill(note)))


def markdown(section: Section) -> str:
    """The same as Markdown."""
    lines = [f"## {section.title}", ""]
    if section.rows:
        rule = ["---:" if column.startswith(">") else "---" for column in section.columns]
        names = [column.lstrip(">") for column in section.columns]
        lines += [_line(row) for row in (names, rule, *section.rows)] + [""]
    lines += [f"- {note}" for note in section.notes] + [""] * bool(section.notes)
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"
