"""A survey in a terminal, also in a narrow one and without colour."""

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from deepmt.status.survey import Survey
from deepmt.status.view import SECTIONS, Section, basis, counts, outlook, warnings

STYLES = {"Running": "green", "Failed": "red", "Stopped": "yellow", "Diverged": "magenta"}
BAR = 40
"""Characters."""


def draw(survey: Survey, width: int) -> RenderableType:
    """For a terminal so many characters wide."""
    share = survey.forecast.share
    parts: list[RenderableType] = [
        Text(survey.title, style="bold"),
        Text("█" * round(BAR * share) + "░" * (BAR - round(BAR * share))),
        Text(f"{share:.0%} of the work is done; {outlook(survey)}"),
        Text(counts(survey)),
        Text(basis(survey), style="dim"),
        *(Text(warning, style="yellow") for warning in warnings(survey)),
    ]
    for section in SECTIONS:
        if section.seeds(survey):
            parts += [Text(), heading(section), table(section, survey, width)]
    return Group(*parts)


def heading(section: Section) -> Text:
    """The name of a section, and what it means."""
    says = f" ({section.says})" if section.says else ""
    return Text.assemble((section.name, f"bold {STYLES[section.name]}"), (says, "dim"))


def table(section: Section, survey: Survey, width: int) -> Table:
    """One line a seed, in the columns that there is room for; names fold and lose no end."""
    found = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    columns = [column for column in section.columns if column.width <= width]
    for column in columns:
        found.add_column(
            column.heading,
            justify="right" if column.number else "left",
            no_wrap=not column.wraps,
            overflow="fold" if column.wraps else "ellipsis",
        )
    for seed in section.seeds(survey):
        found.add_row(*(Text(column.text(survey, seed)) for column in columns))
    return found
