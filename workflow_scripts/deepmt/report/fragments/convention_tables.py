"""Make the tables of docs/toolkits.md: conventions of toolkits, their costs, and surprises."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from deepmt.report.fragments.conventions import Settings, Switch, read_toolkits, text
from deepmt.report.fragments.findings import TOPICS, read_findings
from deepmt.report.fragments.recorded_scale import RecordedScales
from deepmt.report.fragments.row_tables import NOTHING, Cells

WAYS = {"ran": "ʳ", "called": "ᶜ", "read": "ˢ"}
"""How a cell was seen -> its mark."""
WIDTH = 110
"""Of a line of a recipe."""


def versions(recorded: RecordedScales) -> Iterator[Cells]:
    """Yield every toolkit, and what was set in it."""
    for name, toolkit in read_toolkits(recorded.root).toolkits.items():
        yield name, toolkit.package or f"{name} {toolkit.version}", toolkit.set


def conventions(recorded: RecordedScales, table: str) -> str:
    """Return the meaning of a table's columns, and a line for each toolkit that has some."""
    known = read_toolkits(recorded.root)
    columns = known.tables[table]
    lines: list[Cells] = []
    for name, toolkit in known.toolkits.items():
        seen = {key: mark for way, mark in WAYS.items() for key in getattr(toolkit, way)}
        if columns.keys() & seen:
            values, ours = toolkit.values, follow(known.settings(name, table))
            cells = (f"{values[key]}{seen[key]}" if key in seen else NOTHING for key in columns)
            lines.append((f"{name} {toolkit.version}".strip(), *cells, ours))
    meanings = "".join(f"- *{one.column}*: {one.about}\n" for one in columns.values())
    heading = ("toolkit", *(one.column for one in columns.values()), "ours: the same by")
    return f"{meanings}\n{markdown(heading, lines)}"


def follow(found: Iterable[Settings | str]) -> str:
    """Return settings in one line, and the columns that no setting follows."""
    parts = list(found)
    given, missing = joined(parts)
    texts = [f"`{line}`" for line in yaml_lines(given)]
    texts += [f"not offered: {missing}"] * bool(missing)
    return "; ".join(texts) or ("as ours" if parts else NOTHING)


def joined(parts: Sequence[Settings | str]) -> tuple[Settings, str]:
    """Return all settings, and the columns that no setting follows."""
    given = dict(pair for part in parts if not isinstance(part, str) for pair in part.items())
    return given, ", ".join(part for part in parts if isinstance(part, str))


def recipes(recorded: RecordedScales, toolkits: str) -> str:
    """Return a system of a paper's file for each toolkit, with all settings that follow it."""
    lines = [line for name in toolkits.split(",") for line in system(recorded, name)]
    return "\n".join(["```yaml", *lines, "```", ""])


def system(recorded: RecordedScales, toolkit: str) -> Iterator[str]:
    """Yield the lines of a system, and what no setting follows."""
    known = read_toolkits(recorded.root)
    given, missing = joined(list(known.settings(toolkit)))
    lines = sorted(yaml_lines(given | known.toolkits[toolkit].also))
    # A line may end between two settings, not within one.
    flow = f"like-{toolkit.lower()}: {{from: base, {', '.join(lines)}}}".replace(": ", ":\0")
    wrapped = textwrap.wrap(flow, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    yield from (line.replace("\0", " ") for line in wrapped)
    if missing:
        yield f"# not offered: {missing}"


def yaml_lines(settings: Settings) -> Iterator[str]:
    """Yield lines of YAML."""
    yield from (f"{key}: {text(value)}" for key, value in settings.items())


def forks(recorded: RecordedScales) -> str:
    """Return what the code of papers does and what our files of them say, by setting."""
    known, specs = read_toolkits(recorded.root), recorded["paper"].plan.specs
    code = "".join(f"- *{name}*: {fork.code}\n" for name, fork in known.forks.items())
    heading = ("setting", "file in `fairseq/`, or flag", *known.forks)
    lines: list[Cells] = []
    for key, switch in known.switches.items():
        cells = (
            beside(text(attrgetter(key)(specs[fork.row])), switch, name)
            for name, fork in known.forks.items()
        )
        lines.append((f"`{key}`", switch.file, *cells))
    return f"{code}\n{markdown(heading, lines)}"


def beside(ours: str, switch: Switch, fork: str) -> str:
    """Return what a fork does, and our value with a reason if that is another one."""
    theirs = text(switch.does[fork])
    return theirs if ours == theirs else f"{theirs}; ours {ours}: {switch.why[fork]}"


def surprises(recorded: RecordedScales) -> str:
    """Return a table of findings for each topic."""
    by_topic: dict[str, list[Cells]] = {topic: [] for topic in TOPICS}
    for one in read_findings(recorded.root):
        link = f"[{one.surprise}](../findings/{one.path.name})"
        by_topic[one.said["Topic"]].append((link.replace("|", r"\|"), one.said["Packages"]))
    return "\n".join(
        f"**{topic.capitalize()}**\n\n{markdown(('surprise', 'seen with'), lines)}"
        for topic, lines in by_topic.items()
        if lines
    )


def markdown(heading: Cells, lines: Iterable[Cells]) -> str:
    """Return a table."""
    every = (heading, ("---",) * len(heading), *lines)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in every)
