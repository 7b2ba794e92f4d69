"""Decide everything before any job: read all settings, resolve them, select rows."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from symtable import symtable
from typing import Any

from deepmt.base.code_sums import path_of
from deepmt.base.errors import UserError
from deepmt.settings.corpora import Corpora, load_corpora
from deepmt.settings.method import functions_of
from deepmt.settings.spec import Spec
from deepmt.settings.strict import unknown
from deepmt.settings.strict_yaml import Location, Problems, StrictYamlError, names_in
from deepmt.study.config_file import Config, load_config
from deepmt.study.papers import (
    OWN_PAPER,
    Paper,
    Row,
    in_order,
    load,
    names_for_scales,
    rows_of,
    rows_of_figure,
)
from deepmt.study.resolve import resolve_all, resolve_reverse, resolve_trials, without_effect
from deepmt.study.scale import NAMED, Scale, load_scale
from deepmt.study.tuning import Trial

SETS_OF_ROWS = ("headline", "all")
"""Values of `rows` besides ids."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Hold everything that the workflow decides before any job."""

    config: Config
    scale: Scale
    papers: tuple[Paper, ...]
    corpora: Corpora
    specs: Mapping[str, Spec]
    """Row id -> spec, for every row of the papers that has a system at this scale.

    A system that only a figure or a claim needs is listed as <paper>/<system>.
    """
    unavailable: Mapping[str, str]
    """Row id -> the reason why it has no spec at this scale."""
    reverse: Mapping[str, Spec]
    """Corpus with synthetic pairs -> the spec of the run that makes them."""
    trials: Mapping[str, Mapping[Trial, Spec]]
    """System of papers/unified.yaml -> the spec of every trial that it may need."""
    selected: frozenset[str]

    @cached_property
    def runs(self) -> dict[str, Spec]:
        """Return the runs of the selected rows by name; rows with equal specs share a run."""
        return {s.run: s for row, s in self.specs.items() if row in self.selected}

    @cached_property
    def reported(self) -> tuple[Paper, ...]:
        """Return the papers; of those that a user's text trains, the requested rows alone."""
        return tuple(map(self._requested, self.papers)) if self.scale.begins_with else self.papers

    def _requested(self, paper: Paper) -> Paper:
        rows = [tuple(row for row in one.rows if row.id in self.selected) for one in paper.tables]
        pairs = zip(paper.tables, rows, strict=True)
        tables = tuple(replace(table, rows=own) for table, own in pairs if own)
        return replace(paper, tables=tables, figures=(), claims=())

    @cached_property
    def tuned(self) -> list[str]:
        """Return the systems whose rates `tune` chooses: of the rows asked for by id, or all."""
        if not set(SETS_OF_ROWS).isdisjoint(self.config.rows):
            return list(self.trials)
        rows = chain.from_iterable(rows_of(p) for p in self.papers if p.key == OWN_PAPER)
        asked = {row.system for row in rows if row.id in self.selected}
        return [system for system in self.trials if system in asked]

    @property
    def without_effect(self) -> list[str]:
        """Return a sentence on each selected system whose own settings this scale overrides."""
        asked = {row: spec for row, spec in self.specs.items() if row in self.selected}
        return without_effect(self.papers, asked, self.scale, self.corpora)

    @cached_property
    def every_run(self) -> dict[str, Spec]:
        """Return the runs of all rows of the selected papers, and those that choose or help."""
        trials = chain.from_iterable(specs.values() for specs in self.trials.values())
        return {s.run: s for s in chain(self.specs.values(), self.reverse.values(), trials)}


def load_plan(root: Path, overrides: Mapping[str, Any]) -> Plan:
    """Read and resolve all settings below `root`; `overrides` come from the command line.

    Raises:
        ValueError: every problem of every file, each with file, line and what is allowed.
    """
    config, problems = load_config(root / "config.yaml", overrides)
    corpora = load_corpora(root / "corpora.yaml")
    scale = load_scale(root / "scales" / f"{config.scale}.yaml", corpora)

    known, scales = names_in(root / "papers"), names_in(root / "scales")

    @cache
    def read_paper(key: str) -> Paper:
        if key not in known:
            raise UserError(unknown("paper", key, known))
        return load(root / "papers" / f"{key}.yaml")

    papers = in_order(map(read_paper, dict.fromkeys(config.papers)))
    check_added(scale, map(read_paper, dict.fromkeys((*config.papers, OWN_PAPER, *known))))
    for paper in papers:
        check_questions(paper, scales, lambda key: rows_of(read_paper(key)) if key in known else [])
    specs, unavailable = resolve_all(papers, scale, corpora)
    check_functions(specs.values())
    trials = resolve_trials(read_paper, scale, corpora)
    scale.rates.check_stages()
    return Plan(
        config=config,
        scale=scale,
        papers=papers,
        corpora=corpora,
        specs=specs,
        unavailable=unavailable,
        reverse=resolve_reverse(specs.values(), read_paper, scale, corpora),
        trials=trials,
        selected=select(config, papers, known, specs, unavailable, problems),
    )


def check_added(scale: Scale, papers: Iterable[Paper]) -> None:
    """Raise ValueError for names that a scale adds to those of its bases, and no paper has.

    A scale without a base lacks what it misspells, which is said of the system that needs it. No
    more papers are read than these names take.
    """
    added, used, unread = scale.added, {part: set[str]() for part in NAMED}, iter(papers)
    while any(added.values()) and (paper := next(unread, None)):
        used = {part: used[part] | names for part, names in names_for_scales(paper).items()}
        added = {part: names.without(used[part]) for part, names in added.items()}
    wrong = [
        f"{place}: {part}.{name}: {unknown(NAMED[part], name, used[part])}"
        for part, names in added.items()
        for name, place in names.places.items()
    ]
    if wrong:
        raise StrictYamlError(wrong)


def check_functions(specs: Iterable[Spec]) -> None:
    """Raise ValueError for a method whose equation is not written yet, or cannot be read."""
    wanted = {pair for spec in specs for pair in functions_of(spec.method)}
    for module, function in sorted(wanted):
        if not (file := path_of(module)).is_file():
            raise UserError(
                f"{file}: is not there, and options in settings/methods name it as their module:"
                " write the equation, or mend the name"
            )
        try:
            names = symtable(file.read_text(encoding="utf-8"), str(file), "exec").get_identifiers()
        except SyntaxError as error:
            raise UserError(f"{file}:{error.lineno}: is not Python: {error.msg}") from None
        if function not in names:
            raise UserError(
                f"{file}: has no function `{function}`, which makes its part of a model: a method's"
                " function is named after its choice"
            )


def check_questions(
    paper: Paper, scales: Collection[str], rows_in: Callable[[str], list[Row]]
) -> None:
    """Raise ValueError for scales and printed rows of questions and board that do not exist."""
    problems = Problems(paper.document)
    if paper.board:
        problems.check_names(("board", "scale"), scales)
    for number, question in enumerate(paper.questions):
        problems.check_names(("questions", number, "scale"), scales)
        for place, asked in enumerate(question.compare):
            keys = {row.partition(".")[0] for row in asked.printed or ()}
            rows = [row.id for key in keys for row in rows_in(key)]
            problems.check_names(("questions", number, "compare", place, "printed"), rows, "row")
    problems.raise_if_any()


def select(
    config: Config,
    papers: Sequence[Paper],
    known: Collection[str],
    specs: Mapping[str, Spec],
    unavailable: Mapping[str, str],
    problems: Problems,
) -> frozenset[str]:
    """Return the ids of the rows to run; skip headline rows without a corpus at this scale.

    Statistics, and figures that show no training, may be requested too, but run nothing.

    Raises:
        ValueError: an id that no paper has, or one that `papers` leaves out of those known; a
            requested id without any row that can be run, or a headline without rows.
    """
    parts = rows_by_id(papers)
    counted = {row.id for paper in papers for row in rows_of(paper) if row.status == "statistic"}
    asked: dict[str, Location] = {
        word: ("rows",) for word in config.rows if word not in SETS_OF_ROWS
    }
    if "headline" in config.rows:
        headline: dict[str, Location] = {
            word: ("headline", paper.key, number)
            for paper in papers
            for number, word in enumerate(config.headline.get(paper.key, ()))
        }
        if not headline:
            named = ", ".join(paper.key for paper in papers)
            problems.add(("headline",), f"lists no row of {named}: add some, or give rows=all")
        asked = headline | asked
    selected = list(specs) if "all" in config.rows else []
    for word, location in asked.items():
        if (key := word.partition(".")[0]) in known and key not in config.papers:
            place = problems.document.places["papers"]
            wrong = f"{word} is of {key}, which `papers` leaves out ({place}): add it there"
            problems.add(location, wrong)
            continue
        if word not in parts:
            problems.unknown(location, word, parts, "row, table or figure")
            continue
        runnable = [row for row in parts[word] if row in specs]
        lacking = [row for row in parts[word] if row not in specs and row not in counted]
        if location == ("rows",) and lacking and not runnable:
            reasons = "; ".join(dict.fromkeys(unavailable[row] for row in lacking))
            where = f"`./deepmt explain {lacking[0]}` names the scales that run it, if any does"
            problems.add(location, f"{word} cannot be run: {reasons}; {where}")
        selected += runnable
    problems.raise_if_any()
    return frozenset(selected)


def rows_by_id(papers: Iterable[Paper]) -> dict[str, list[str]]:
    """Map each id that may be requested, of a table, figure or row, to the ids of its rows."""
    found: dict[str, list[str]] = {}
    for paper in papers:
        rows = {table.id: list(table.rows) for table in paper.tables}
        rows |= {figure.id: rows_of_figure(paper, figure) for figure in paper.figures}
        found |= {part: [row.id for row in its] for part, its in rows.items()}
        found |= {row.id: [row.id] for its in rows.values() for row in its}
    return found
