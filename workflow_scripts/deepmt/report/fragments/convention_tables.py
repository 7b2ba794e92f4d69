"""Make the tables of docs/toolkits.md: conventions of toolkits, their costs, and surprises."""

from collections.abc import Iterable, Iterator, Sequence

from deepmt.measured.records import Record
from deepmt.report.fragments.conventions import Settings, read_toolkits, text
from deepmt.report.fragments.findings import TOPICS, read_findings
from deepmt.report.fragments.recorded_scale import RecordedScales
from deepmt.report.fragments.row_tables import CELLS, NOTHING, Cells
from deepmt.study.papers import find_table

WAYS = {"ran": "ʳ", "called": "ᶜ", "read": "ˢ"}
"""How a cell was seen -> its mark."""
NOT_RUN = "*not run yet*"
MEASURES = "ppl", "chrf", "bleu"
COSTS = "unified.table8", "multi30k-budget"
"""The table of conventions, and the scale that runs it."""


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
    given = dict(pair for part in parts if not isinstance(part, str) for pair in part.items())
    missing = ", ".join(part for part in parts if isinstance(part, str))
    texts = [f"`{line}`" for line in yaml_lines(given)]
    texts += [f"not offered: {missing}"] * bool(missing)
    return "; ".join(texts) or ("as ours" if parts else NOTHING)


def recipe(recorded: RecordedScales, toolkit: str) -> str:
    """Return all our settings that follow a toolkit, as lines of a paper's file."""
    known = read_toolkits(recorded.root)
    found = [part for part in known.settings(toolkit) if not isinstance(part, str)]
    given = dict(pair for part in found for pair in part.items()) | known.toolkits[toolkit].also
    return "".join(["```yaml\n", *(f"{line}\n" for line in sorted(yaml_lines(given))), "```\n"])


def yaml_lines(settings: Settings) -> Iterator[str]:
    """Yield lines of YAML."""
    for key, value in settings.items():
        yield f"{key}: {text(value) if type(value) is not bool else str(value).lower()}"


def costs(recorded: RecordedScales) -> Iterator[Cells]:
    """Yield what each convention does to post-norm and pre-norm, as far as it was run."""
    table, scale = COSTS
    found: dict[str, list[str]] = {}
    for row in find_table(recorded[scale].unified, table).rows:
        found.setdefault(row.label, []).append(quality(recorded[scale].known.records_of(row.id)))
    yield from ((label, *cells) for label, cells in found.items())


def quality(records: Sequence[Record]) -> str:
    """Return perplexity, chrF and BLEU."""
    return "; ".join(CELLS[key](records) for key in MEASURES) if records else NOT_RUN


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
