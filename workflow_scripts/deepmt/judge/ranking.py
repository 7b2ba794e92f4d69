"""Rank the systems of one scale by the registered measure, and gather what decides."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import pandas as pd

from deepmt.judge.board import Board, with_baseline, with_first
from deepmt.judge.cells import Cell, all_cells, pool_cells, run_outcomes
from deepmt.judge.contrast import Contrast, Ending, unequal
from deepmt.judge.interval import half_width
from deepmt.judge.quality import TrainedSystem, system_of
from deepmt.judge.question import Answer, Trained, answers, findings
from deepmt.measured.core_seconds import HOUR, core_seconds
from deepmt.measured.failures import ends
from deepmt.measured.outside import Outside, entered
from deepmt.measured.records import Record
from deepmt.measured.seeds import too_short
from deepmt.measured.table import Measured, gather
from deepmt.study.measures import PPL
from deepmt.study.papers import OWN_PAPER, UPDATES_TIMES, Paper, Row, rows_of, settings_of
from deepmt.study.plan import load_plan
from deepmt.study.tuning import TrialResult

LEAST_AXIS, MOST_AXIS = math.log(1.1), math.log(1.5)
"""Widths of the axis on which seeds are drawn: that of a system which barely trains is cut."""


@dataclass(frozen=True, kw_only=True)
class RankedSystem:
    """Represent one system; one without a seed that trains has no perplexity."""

    system: TrainedSystem
    cell: Cell
    """Of its BLEU on test."""
    perplexity: float | None = None
    """Over all test sets, as if it had all seeds of the scale."""
    half: float = math.inf
    """Of the uncorrected interval of its logarithm; infinite with too few seeds for a verdict."""
    with_baseline: Contrast | None = None
    with_first: Contrast | None = None
    """None for the baseline, for the first, and where budgets differ."""
    parameters: int
    rates: str = ""
    """Peak learning rates at which a trial trains, in 10^-3; empty if none was tried."""
    ended: Ending = "trains"
    """As findings say it: trains, fails or undecided."""
    why: str = ""
    """Why that is undecided."""
    note: str = ""
    """How seeds failed, or ""."""
    core_hours: float | None = None
    """Of a seed's training; None if that is not known."""

    @property
    def level(self) -> bool:
        """Check if it was compared with the first and cannot be told from it."""
        return self.with_first is not None and self.with_first.level

    @property
    def ending(self) -> str:
        """Return e.g. "fails: stalled at update 9"."""
        return f"{self.ended}: {self.note or self.why}"


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """Represent the systems of one scale: those with a seed that trains, and the others."""

    title: str
    note: str
    systems: Sequence[RankedSystem]
    """Those with enough seeds for a verdict first; in the table's order where budgets differ."""
    unranked: Sequence[RankedSystem] = ()
    """Those without a seed that trains."""
    budgets: tuple[int, int] = (0, 0)
    """The smallest and the largest number of target tokens."""
    too_few: str = ""
    """Says that the updates are too few to tell systems apart, if they are."""
    answers: Sequence[Answer] = ()
    """To registered questions."""
    findings: Sequence[Answer] = ()
    """To questions about what papers find."""
    refusals: Sequence[str] = ()
    """Records and curves of the scale that are not used, with file, line and reason."""
    printed: Mapping[str, float] = field(default_factory=dict)
    """BLEU that papers print, by row."""
    outside: Sequence[Outside] = ()
    """Translations of the same text that were made elsewhere."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Name of every system of the board, e.g. "12+6 pre-norm", and of every group."""

    @property
    def told(self) -> bool:
        """Check if there is something to show: systems, or refused records."""
        return bool(self.systems or self.refusals)

    def ended(self, ending: Ending) -> list[RankedSystem]:
        """Return the systems that train, that fail, or of which this is undecided."""
        return [one for one in (*self.systems, *self.unranked) if one.ended == ending]

    @property
    def unequal(self) -> bool:
        """Check if systems were trained on numbers of tokens that forbid to rank them."""
        return unequal(self.budgets)

    @property
    def compared(self) -> bool:
        """Check if there is an order that means something."""
        return not self.unequal and not self.too_few and len(self.systems) > 1

    @property
    def first(self) -> RankedSystem:
        """Return the best of the systems with enough seeds for a verdict, if any has them."""
        return self.systems[0]

    @property
    def ahead(self) -> list[RankedSystem]:
        """Return the systems with fewer seeds that may be better than the first."""
        best = self.first.perplexity or 0.0
        return [one for one in self.systems if (one.perplexity or 0.0) < best]

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Return the ends of the axis of log perplexities: 10 % to 50 % apart."""
        means = [math.log(one.perplexity) for one in self.systems if one.perplexity]
        drawn = [log for one in self.systems for log in (*logs_of(one), *interval_of(one))] + means
        low = min(drawn)
        return low, max(low + LEAST_AXIS, *(log for log in drawn if log <= low + MOST_AXIS))

    def place(self, log: float) -> float:
        """Return where a log perplexity is drawn: from 0 to 100, or beyond."""
        low, high = self.ends
        return 100 * (log - low) / (high - low)


def logs_of(one: RankedSystem) -> list[float]:
    """Return the log perplexity of every seed."""
    return [one.system.value(PPL, seed) for seed in one.system.seeds]


def interval_of(one: RankedSystem) -> list[float]:
    """Return the ends of the interval of a system's log perplexity; none if it is not known."""
    if one.perplexity is None or math.isinf(one.half):
        return []
    return [math.log(one.perplexity) + side * one.half for side in (-1, 1)]


def recorded_ranking(root: Path, scale: str) -> Ranking:
    """Return the ranking of a scale's records."""
    plan = load_plan(root, {"scale": scale, "papers": ["all"], "rows": ["all"]})
    results = gather(plan, root, root / plan.config.results_of_records)
    [paper] = (paper for paper in plan.papers if paper.key == OWN_PAPER)
    printed = printed_bleu(plan.papers)
    return rank(paper, results, all_cells([paper], results), root, printed)


def printed_bleu(papers: Iterable[Paper]) -> dict[str, float]:
    """Return the BLEU that papers print, by row."""
    rows = (row for paper in papers for row in rows_of(paper))
    return {row.id: value for row in rows if (value := row.values.get("bleu")) is not None}


def rows_of_methods(paper: Paper) -> dict[str, Row]:
    """Return the row of each system, in the first table of the board that has one."""
    found: dict[str, Row] = {}
    numbers = paper.board.tables if paper.board else ()
    for table in (table for table in paper.tables if table.number in numbers):
        for row in table.rows:
            if row.system:
                found.setdefault(row.system, row)
    return found


def rank(
    paper: Paper,
    results: Measured,
    cells: Sequence[Cell],
    root: Path,
    printed: Mapping[str, float],
) -> Ranking:
    """Rank the systems with records in a paper's tables of methods by log perplexity on test."""
    rows = {name: row for name, row in rows_of_methods(paper).items() if results.records_of(row.id)}
    trained = Trained(
        systems={name: system_of(row, results) for name, row in rows.items()},
        outcomes=run_outcomes(results, pool_cells(cells)),
        budgets=results.budgets,
        costs=core_seconds(root / "records", results.runs),
    )
    bleu = {cell.row: cell for cell in cells if cell.column == "bleu"}
    tried = rates_that_train(results.trials)
    ended = {name: trained.ended(one, paper) for name, one in trained.systems.items()}
    plain = [
        RankedSystem(
            system=trained.systems[name],
            ended=ended[name][0],
            why=ended[name][1],
            cell=bleu[row.id],
            parameters=results.records_of(row.id)[0].parameters,
            rates=tried.get(name, ""),
            note=ends(results.records_of(row.id)),
            core_hours=_core_hours(trained.costs, trained.systems[name]),
        )
        for name, row in rows.items()
        if UPDATES_TIMES not in settings_of(paper, name)
    ]
    train = [one for one in plain if one.system.seeds]
    budgets = [results.budgets[one.system.run] for one in train]
    corpora = {results.specs[row.id].data.corpus for row in rows.values()}
    found = Ranking(
        title=results.scale_title,
        note=results.scale_note,
        systems=train,
        unranked=[one for one in plain if not one.system.seeds],
        budgets=(min(budgets, default=0), max(budgets, default=0)),
        too_few=too_few_updates(results.records),
        refusals=[one.message for one in (*results.refusals, *results.refused_curves)],
        printed=printed,
        outside=[*entered(root / "records", corpora)],
        names=names_of(paper, results),
    )
    answered = tuple(answers(paper, results.scale, trained)) if found.compared else ()
    ranked = placed(train, paper.board.baseline if paper.board else "") if found.compared else train
    return replace(
        found,
        systems=ranked,
        answers=answered,
        findings=() if found.too_few else tuple(findings(paper, trained, answered)),
    )


def placed(plain: Sequence[RankedSystem], baseline: str) -> list[RankedSystem]:
    """Return the systems in their order, each compared with the baseline and with the first.

    Those with too few seeds for a verdict stand last.
    """
    board = Board([one.system for one in plain])
    names = [one.system.system for one in plain]
    control = names.index(baseline) if baseline in names else None
    able = [one.system.may_be_first for one in plain]
    order = sorted(range(len(plain)), key=lambda n: (not able[n], board.log_perplexities[n]))
    with_control = board.against(control, with_baseline) if control is not None else {}
    best = board.against(order[0], with_first)
    return [
        replace(
            plain[number],
            perplexity=math.exp(board.log_perplexities[number]),
            half=half_width([board.errors[number]]) if able[number] else math.inf,
            with_baseline=with_control.get(number),
            with_first=best.get(number),
        )
        for number in order
    ]


def _core_hours(costs: Mapping[str, float], system: TrainedSystem) -> float | None:
    cost = costs.get(system.run)
    return cost * system.updates / HOUR if cost and system.updates else None


def too_few_updates(records: Sequence[Record]) -> str:
    """Say that seeds ended before their systems could be given up, or return ""."""
    short = [one for one in records if too_short(one)]
    if not short:
        return ""
    updates = min(one.updates for one in short)
    patience = max(one.spec["training"]["divergence_patience"] for one in short)
    return (
        f"Too few updates to tell: {updates:,}, and a system may need {patience:,.0f} to learn"
        " anything. Their order says nothing about the methods."
    )


def rates_that_train(tried: Sequence[TrialResult]) -> dict[str, str]:
    """Return the range of rates at which each system trains, from the trials of `tune`.

    A rate trains if one of its warm-ups does in every trial.
    """
    columns = [*TrialResult.__dataclass_fields__]
    trials = pd.DataFrame(tried, columns=columns).assign(trains=lambda t: t.outcome == "finished")
    warmups = (
        trials.groupby(["system", "lr", "warmup"]).trains.all().groupby(["system", "lr"]).any()
    )
    found = {}
    for system, own in warmups.groupby("system"):
        rates = [f"{rate * 1e3:g}" for (_, rate), trained in own.items() if trained]
        found[str(system)] = " to ".join(dict.fromkeys((rates[0], rates[-1]))) if rates else "none"
    return found


def names_of(paper: Paper, results: Measured) -> dict[str, str]:
    """Return the names of the systems of the board, and of the groups that questions ask of."""
    rows = rows_of_methods(paper).items()
    names = {system: name_of(row, results) for system, row in rows if row.id in results.specs}
    return names | {group: f"the best of {group.replace('-', ' ')}" for group in paper.groups}


def name_of(row: Row, results: Measured) -> str:
    """Return e.g. "12+6 pre-norm"."""
    spec = results.specs[row.id]
    return f"{spec.encoder.layers}+{spec.decoder.layers} {row.label}"
