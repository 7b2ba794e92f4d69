"""Read the papers as data: tables, rows, published values, and the systems behind them.

A file papers/<key>.yaml holds one paper. A system is a difference from another one (`from`); a row
names its system; a column names the measure of ours that is compared with the published value.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import field, replace
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag
from pydantic.dataclasses import dataclass

from deepmt.settings import strict_yaml
from deepmt.settings.spec import TYPES, some_of
from deepmt.settings.strict import (
    STRICT,
    Count,
    Decimals,
    Distinct,
    Few,
    FewOrNone,
    Name,
    NameInPaper,
    Number,
    Seed,
    Some,
    look_up,
)
from deepmt.settings.strict_yaml import Location, Problems, Section, read, with_bases
from deepmt.study.figure_options import UNTRAINED, Draw, LinesOptions, SystemLine, check_draw
from deepmt.study.measures import DERIVED, MEASURES, WITHOUT_A_RUN, Quantity, of_split
from deepmt.study.paper_claims import Claim, check_operands
from deepmt.study.questions import BoardTables, Question

OWN_PAPER = "unified"
"""Our own paper, listed before those of the literature."""
Status = Literal["trained", "failed", "diverged", "quoted", "measured", "statistic", "not-run"]
RUN = ("trained", "failed", "diverged", "measured")
NEVER_RUN = ("quoted", "statistic")
WIDTHS = {
    "width": ("encoder", "decoder"),
    "encoder.width": ("encoder",),
    "decoder.width": ("decoder",),
}
"""`width: base` sizes both stacks; the others size one stack and override it."""
LR_TIMES = "lr_times"
"""A factor on the learning rate of any scale."""
DROPOUT = "dropout"
"""Dropout of sublayers and embeddings, at any scale."""
UPDATES_TIMES = "updates_times"
"""A factor on the updates of any scale; a milestone stands where the scale's own end."""
DEPTHS = ("encoder.layers", "decoder.layers")
SET_BY_CORPORA = ("data.source", "data.target")


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Reason:
    """Say why ours differs from some printed values."""

    printed: Some[Number]
    why: str


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Column:
    """Describe a printed column and the measure of ours that corresponds to it."""

    key: str = ""
    """Its name in the table, which sets this."""
    label: str
    unit: str
    suffix: str = ""
    """Printed after every number, e.g. M or ×."""
    measure: str
    """A score (bleu_tok), params_m, ppl_dev ...; "mean" and "delta" are derived; "none" is text."""
    decimals: Decimals = 2
    better: Literal["higher", "lower", "neither"] = "neither"
    definition: str = ""
    """How it is computed, which the report shows beside the heading."""
    split: str = "test"
    splits: Distinct[str] = ()
    """Test sets whose scores are averaged, in place of one set."""
    of: Distinct[str] = ()
    """Columns that a derived measure is computed from."""
    seeds: FewOrNone = 0
    """Seeds behind each printed value, where the paper says so and ours has the same test set."""
    differs: tuple[Reason, ...] = ()
    """Why ours differs from printed values, whichever row prints them."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Row:
    """Hold the results of one system on one task, as printed."""

    id: NameInPaper
    """Its id in the file, or <paper>/<system> if no table prints it."""
    label: str
    short: str = ""
    """Its label in figures, if another."""
    status: Status
    """The outcome in the paper: trained, failed, diverged, quoted (from other literature) ..."""
    group: str = ""
    system: str | None = None
    corpus: str = ""
    """Corpus of a statistic, which has no system."""
    values: dict[str, Number | None]
    """Published values by column key; None where the paper prints no number (see marks)."""
    decimals: dict[str, Decimals] = field(default_factory=dict)
    """Columns printed with other decimals in this row."""
    marks: dict[str, str] = field(default_factory=dict)
    """Text in the cell or beside its number, and what it means."""
    measures: dict[str, str] = field(default_factory=dict)
    """Columns whose measure differs in this row."""
    reference: str | None = None
    """Row that this row's differences and speed-ups are relative to."""
    significance: dict[str, str] = field(default_factory=dict)
    """This row against another, by its letter: + better, - worse, = no difference."""
    beats: tuple[str, ...] = ()
    """Rows that are significantly worse in every score, according to the caption."""
    remark: str = ""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Table:
    """Represent one printed table."""

    id: Name
    number: Count
    caption: str
    note: str = ""
    columns: dict[Name, Column]
    rows: tuple[Row, ...]
    baseline: str = ""
    """Row that our ratios of speeds are relative to, in a table that prints none."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Figure:
    """Represent one printed figure, without its curves."""

    id: Name
    number: Count
    plots: str
    systems: tuple[str, ...] = ()
    """Systems that must be run to draw it."""
    draw: Draw | None = None
    """A kind of study/figure_options.py with its options; None for a diagram."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Probe:
    """Name systems that are measured untrained, as the file of the measurements calls them."""

    seeds: Some[Seed]
    named: dict[str, Name] = field(default_factory=dict)
    """Name in the file -> system."""
    readings: dict[str, str] = field(default_factory=dict)
    """Another reading of a method -> the name whose printed values stand beside it, too."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Heading:
    """Hold the citation of a paper."""

    key: Name
    title: str
    authors: tuple[str, ...] = ()
    year: Annotated[int, Field(ge=1900, le=2100)]
    venue: str = ""
    links: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Printed:
    """Hold what a paper prints."""

    vocabulary: dict[str, tuple[Count, Count]]
    """Source and target types by corpus, as derived from the printed sizes."""
    fixed: Distinct[str] = ()
    """Settings that the systems are about, as they are about methods: no scale changes them."""
    method_prefix: str = ""
    """Beginning of the names of systems with a method each; the rest names the method."""
    probes: dict[Literal["table1", "fig1", "growth"], Probe] = field(default_factory=dict)
    """By their file probes/*.csv."""
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...] = ()
    claims: tuple[Claim, ...] = ()
    board: BoardTables | None = None
    groups: dict[Name, Some[Name]] = field(default_factory=dict)
    """Systems, and groups above it, of which a question takes the best."""
    questions: tuple[Question, ...] = ()


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Paper(Heading, Printed):
    """Represent one paper."""

    systems: Any
    """System -> its settings as the file has them; `from` names the one that they differ from."""
    path: str
    document: Any = field(default=None, repr=False, compare=False)
    """What its file says, for the lines of messages."""

    def changes_of(self, system: str) -> Section:
        """Return the settings of a system that differ from those of its base."""
        return self.systems[system].without(["from"])

    @cached_property
    def settings(self) -> dict[str, Section]:
        """Return all settings of each system by dotted key; its own override those of its base."""
        found: dict[str, Section] = {}
        for system in self.systems:
            for name in reversed(systems_behind(self, system)):
                if name not in found:
                    base = found.get(self.systems[name].get("from"), Section({}, self.path, {}))
                    found[name] = above(base, self.changes_of(name))
        return found


if TYPE_CHECKING:
    Settings: TypeAlias = dict[str, Any]
else:
    _word_or_number = Discriminator(lambda value: "word" if isinstance(value, str) else "number")
    _Depth = Annotated[
        Annotated[Name, Tag("word")] | Annotated[Few, Tag("number")], _word_or_number
    ]
    Settings = some_of(
        TYPES
        | dict.fromkeys(("from", *WIDTHS), Name)
        | dict.fromkeys(DEPTHS, _Depth)
        | {LR_TIMES: TYPES["training.lr"], DROPOUT: TYPES["training.dropout"]}
        | {UPDATES_TIMES: Count}
    )
"""Settings of a system, and the system that they are a difference from."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class File(Printed):
    """Represent a file papers/<key>.yaml as written."""

    paper: Heading
    systems: dict[Name, Settings]


def load(path: Path) -> Paper:
    """Read papers/<key>.yaml.

    Raises:
        ValueError: every problem of the file with its line: keys that are unknown, missing or of
            a wrong type, or else names of systems, columns, measures, rows that do not exist.
    """
    content = b""
    with suppress(OSError):  # `_load` says so
        content = path.read_bytes()
    return _load(path, content)


@cache
def _load(path: Path, _: bytes) -> Paper:
    """Read a file once, unless its content changes: several plans share it."""
    document = strict_yaml.load(path)
    file = read(document, File)
    problems = Problems(document)
    _check_systems(document["systems"], problems)
    _check_names(path.stem, file, problems)
    problems.raise_if_any()
    parts = {key: value for key, value in vars(file).items() if key != "paper"}
    named = tuple(
        replace(table, columns={key: replace(one, key=key) for key, one in table.columns.items()})
        for table in file.tables
    )
    figures = tuple(with_groups(figure, file.tables) for figure in file.figures)
    made = {"tables": named, "figures": figures, "groups": systems_by_group(file.groups)}
    return Paper(
        **vars(file.paper),
        **parts | made | {"systems": document["systems"]},
        path=str(path),
        document=document,
    )


def systems_by_group(groups: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Return the systems of each group, with those of the groups that it names."""
    found: dict[str, tuple[str, ...]] = {}
    for group, members in groups.items():
        found[group] = tuple(chain.from_iterable(found.get(one, (one,)) for one in members))
    return found


def with_groups(figure: Figure, tables: Iterable[Table]) -> Figure:
    """Return a figure with a line for each row of the groups that it draws."""
    draw = figure.draw
    if not isinstance(draw, LinesOptions) or not draw.groups:
        return figure
    drawn = [
        SystemLine(label=row.short or row.label, system=row.system)
        for table in tables
        for row in table.rows
        if row.system and row.group in draw.groups and row.system not in draw.without
    ]
    systems = (*figure.systems, *(line.system for line in drawn))
    return replace(figure, systems=systems, draw=replace(draw, lines=(*draw.lines, *drawn)))


def in_order(papers: Iterable[Paper]) -> tuple[Paper, ...]:
    """Return papers in the order of every table and report: our own, then by year and key."""
    return tuple(sorted(papers, key=lambda p: (p.key != OWN_PAPER, p.year, p.key)))


def measure_of(row: Row, column: Column) -> str:
    """Return the measure of a cell: the column's, unless the row has its own."""
    return row.measures.get(column.key, column.measure)


def quantity_of(table: Table, column: Column, row: Row | None = None) -> Quantity:
    """Return what a column measures, in a row that may have its own measure."""
    measure = measure_of(row, column) if row else column.measure
    parts: tuple[tuple[str, str], ...] = (of_split(measure, column.split),)
    if measure in DERIVED:
        parts = tuple(
            part for key in column.of for part in quantity_of(table, table.columns[key], row).parts
        )
    if column.splits:
        parts = tuple(of_split(measure, split) for split in column.splits)
    return Quantity(
        key=column.key,
        measure=measure,
        unit=column.unit,
        better=column.better,
        split=column.split,
        parts=parts,
    )


def rows_of(paper: Paper) -> list[Row]:
    """Return all rows of all tables."""
    return [row for table in paper.tables for row in table.rows]


def printed_columns(table: Table, row: Row) -> list[str]:
    """Return the columns in which a row has a number or a mark; all columns for our own rows."""
    printed = [key for key in table.columns if key in row.values or key in row.marks]
    return printed or list(table.columns)


def settings_of(paper: Paper, name: str) -> Section:
    """Return all settings of a system by dotted key.

    Raises:
        ValueError: there is no such system; names the file.
    """
    return look_up("system", name, paper.settings, f"{paper.path}: ")


def names_for_scales(paper: Paper) -> dict[str, set[str]]:
    """Return the names of corpora, widths and depths in a paper, by the part of a scale."""
    found = paper.settings.values()
    corpora = {str(one["data.corpus"]) for one in found if "data.corpus" in one}
    return {
        "corpora": corpora | {f"{paper.key}/{name}" for name in corpora},
        "widths": {str(one[key]) for one in found for key in WIDTHS if key in one},
        "depths": {one[key] for one in found for key in DEPTHS if isinstance(one.get(key), str)},
    }


def above(settings: Section, change: Section) -> Section:
    """Return settings with a change of them; a new choice drops the options of the old one."""
    dropped = [key for key in settings if key.rpartition(".")[0] in change]
    return change.over(settings.without(dropped) if dropped else settings)


def systems_behind(paper: Paper, name: str) -> list[str]:
    """Return a system and its bases, nearest first.

    Raises:
        ValueError: there is no such system; names the file.
    """
    look_up("system", name, paper.systems, f"{paper.path}: ")
    return with_bases(name, paper.systems.get, paper.systems, "system")


def find_table(paper: Paper, name: str) -> Table:
    """Return the table with that id.

    Raises:
        ValueError: the paper has no such table.
    """
    known = {table.id: table for table in paper.tables}
    return look_up("table", name, known, f"{paper.path}: ")


def find_figure(paper: Paper, name: str) -> Figure:
    """Return the figure with that id.

    Raises:
        ValueError: the paper has no such figure.
    """
    known = {figure.id: figure for figure in paper.figures}
    return look_up("figure", name, known, f"{paper.path}: ")


def rows_of_system(paper: Paper, system: str) -> list[Row]:
    """Return the rows of a system; make one if no table prints it."""
    found = [row for table in paper.tables for row in table.rows if row.system == system]
    stand_in = Row(
        id=f"{paper.key}/{system}", label=system, status="trained", system=system, values={}
    )
    return found or [stand_in]


def rows_of_figure(paper: Paper, figure: Figure) -> list[Row]:
    """Return the rows of the systems whose training a figure shows."""
    if figure.draw is None or figure.draw.kind in UNTRAINED:
        return []
    return [rows_of_system(paper, system)[0] for system in figure.systems]


def cells_of_claims(paper: Paper) -> dict[str, tuple[Table, str, str]]:
    """Return table, system and column, by id, of the cells that claims add to the printed ones."""
    tables = {table.id.removeprefix(f"{paper.key}."): table for table in paper.tables}
    named = {name for claim in paper.claims for check in claim.judge for name in check.cells}
    parts = {name: name.split(".") for name in sorted(named)}
    return {
        name: (tables[table], rest[0], rest[1])
        for name, (table, *rest) in parts.items()
        if table in tables
    }


def rows_of_claims(paper: Paper) -> list[Row]:
    """Return the rows of the systems that only claims need."""
    return [rows_of_system(paper, name)[0] for _, name, _ in cells_of_claims(paper).values()]


def _check_systems(systems: Section, problems: Problems) -> None:
    for name, settings in systems.items():
        for key in settings.keys() & SET_BY_CORPORA:
            problems.add(("systems", name, key), "is set by corpora.yaml")
        try:
            with_bases(name, systems.get, systems, "system")
        except ValueError as error:
            problems.messages.append(str(error))


def _check_names(key: str, file: File, problems: Problems) -> None:
    """Check that all systems, columns, rows, tables and figures that the file names exist."""
    if file.paper.key != key:
        problems.add(("paper", "key"), f"must be {key}, the name of the file")
    problems.check_names(("fixed",), TYPES, "setting")
    rows = {row.id for table in file.tables for row in table.rows}
    ids: set[str] = set()
    for number, table in enumerate(file.tables):
        _add_id(table.id, ("tables", number), key, ids, problems)
        for place, row in enumerate(table.rows):
            location: Location = ("tables", number, "rows", place)
            _add_id(row.id, location, key, ids, problems)
            _check_row(location, row, table, problems)
            problems.check_names((*location, "system"), file.systems)
            problems.check_names((*location, "reference"), rows)
            problems.check_names((*location, "beats"), rows, "row")
        problems.check_names(("tables", number, "baseline"), [row.id for row in table.rows], "row")
        for name, column in table.columns.items():
            _check_column(("tables", number, "columns", name), column, table, problems)
    for kind, probe in file.probes.items():
        for name in probe.named:
            problems.check_names(("probes", kind, "named", name), file.systems, "system")
        for name in probe.readings:
            problems.check_names(("probes", kind, "readings", name), probe.named, "name")
    columns = {table.id: tuple(table.columns) for table in file.tables}
    groups = {row.group for table in file.tables for row in table.rows}
    for number, figure in enumerate(file.figures):
        _add_id(figure.id, ("figures", number), key, ids, problems)
        problems.check_names(("figures", number, "systems"), file.systems, "system")
        if figure.draw is not None:
            location = ("figures", number, "draw")
            drawn = problems.document["figures"][number]["draw"]
            if figure.draw.kind == "norm-by-layer":
                probed = file.probes["fig1"].named.values() if "fig1" in file.probes else ()
                for place in range(len(figure.draw.lines)):
                    problems.check_names((*location, "lines", place, "system"), [*probed], "probe")
            problems.check_names((*location, "groups"), groups, "group")
            problems.check_names((*location, "without"), file.systems, "system")
            check_draw(drawn, location, figure.systems, columns, problems)
    for number, claim in enumerate(file.claims):
        _add_id(claim.id, ("claims", number), key, ids, problems)
    _check_questions(key, file, ids, problems)
    cells = {name.removeprefix(f"{key}.") for name in _cells(file)}
    check_operands(file.claims, cells, problems)


def _check_questions(key: str, file: File, ids: set[str], problems: Problems) -> None:
    """Check the systems that the board, groups and questions name."""
    if file.board:
        problems.check_names(("board", "baseline"), file.systems, "system")
    known = [*file.systems]
    for name in file.groups:
        problems.check_names(("groups", name), known, "system or group above")
        known.append(name)
    for number, question in enumerate(file.questions):
        _add_id(question.id, ("questions", number), key, ids, problems)
        for place in range(len(question.compare)):
            location: Location = ("questions", number, "compare", place)
            for side in ("system", "against"):
                problems.check_names((*location, side), known, "system or group")
            problems.check_names((*location, "trains"), file.systems, "system")


def _cells(file: File) -> Iterator[str]:
    """Yield printed cells, any system in any table, and those of figures of untrained models."""
    for table in file.tables:
        for row in table.rows:
            yield from (f"{row.id}.{key}" for key in printed_columns(table, row))
    for figure in file.figures:
        for key in UNTRAINED.get(figure.draw.kind, ()) if figure.draw else ():
            yield from (f"{figure.id}.{name}.{key}" for name in figure.systems)
    for table in file.tables:
        yield from (f"{table.id}.{name}.{key}" for name in file.systems for key in table.columns)


def _add_id(name: str, location: Location, paper: str, ids: set[str], problems: Problems) -> None:
    if name in ids:
        problems.add((*location, "id"), f"duplicate id '{name}'")
    if not name.startswith(f"{paper}."):
        wrong = f"'{name}' must begin with '{paper}.', the name of the file"
        problems.add((*location, "id"), wrong)
    ids.add(name)


def _check_column(location: Location, column: Column, table: Table, problems: Problems) -> None:
    if column.key:
        problems.add((*location, "key"), "remove it; the name of the column is its key")
    problems.check_names((*location, "measure"), MEASURES)
    problems.check_names((*location, "of"), table.columns, "column")
    printed = {row.values.get(str(location[-1])) for row in table.rows}
    for number, reason in enumerate(column.differs):
        for place, value in enumerate(reason.printed):
            if value not in printed:
                wrong = f"no row prints {value:g} in this column"
                problems.add((*location, "differs", number, "printed", place), wrong)
    if (column.measure in DERIVED) != bool(column.of):
        wrong = "a mean or a delta needs `of`, its columns; no other measure takes it"
        problems.add(location, wrong)


def _check_row(location: Location, row: Row, table: Table, problems: Problems) -> None:
    for part in ("values", "decimals", "marks", "measures"):
        for key in getattr(row, part):
            if key not in table.columns:
                problems.unknown((*location, part, key), key, table.columns, "column")
    for key in row.measures:
        problems.check_names((*location, "measures", key), MEASURES, "measure")
    for key, value in row.values.items():
        if value is None and key not in row.marks:
            wrong = "has no number: give the text of the cell under `marks`"
            problems.add((*location, "values", key), wrong)
        column = table.columns.get(key)
        measure = row.measures.get(key, column.measure if column else "none")
        if row.status == "not-run" and value is not None and measure not in WITHOUT_A_RUN:
            wrong = "a row with status not-run has no such number: remove it, or set trained"
            problems.add((*location, "values", key), wrong)
    if row.status in RUN and row.system is None:
        problems.add(location, f"a row with status {row.status} needs a system")
    if row.status in NEVER_RUN and row.system is not None:
        problems.add(location, f"a row with status {row.status} must not have a system")
