"""Rank the systems of one scale by quality, and say which is best and if depth pays."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean

import pandas as pd

from deepmt.config.papers import OWN_PAPER, Paper, Row, rows_of
from deepmt.config.plan import load_plan
from deepmt.judge.answer import (
    BLEU,
    CHRF,
    LOG_PERPLEXITY,
    Answer,
    TrainedSystem,
    Verdict,
    rows_of_methods,
    system_of,
    systems_of,
)
from deepmt.judge.answer_in_words import difference, ratio, sentences
from deepmt.judge.cells import Cell, all_cells, pool_cells
from deepmt.judge.claim import judge_claim
from deepmt.judge.comparison import Status
from deepmt.judge.evidence import count, gather_evidence
from deepmt.judge.interval import half_width
from deepmt.judge.many_to_one import Difference, differences
from deepmt.results.core_seconds import HOUR, core_seconds
from deepmt.results.failures import failures
from deepmt.results.records import Record
from deepmt.results.results import Results, gather
from deepmt.results.seeds import low_scores, too_short, trains

PAYS: Mapping[Verdict, str] = {
    "better": "Depth pays",
    "worse": "Depth does not pay at this budget",
    "undecided": "The budget was too small to tell if depth pays",
    "still moving": "Whether depth pays was still changing when training ended",
}
ONE_SEED = "One seed each does not tell if depth pays"


@dataclass(frozen=True, kw_only=True)
class RankedSystem:
    """Represent one system; one whose seeds all failed has no BLEU."""

    system: TrainedSystem
    cell: Cell
    half: float
    """Half of the 95 % interval of their mean."""
    parameters: int
    rates: str
    """Peak learning rates at which a trial trains, in 10^-3; empty if none was tried."""
    note: str
    """How seeds failed, or ""."""
    core_hours: float | None = None
    """Of a seed's training, from the costs measured in turn; None if that system was not timed."""

    @property
    def mean(self) -> float:
        """Return the mean over the seeds that train."""
        return fmean(self.system.bleu)


@dataclass(frozen=True, kw_only=True)
class PaperFinding:
    """Represent what a paper finds, and what was seen of it at one scale."""

    paper: str
    statement: str
    seen: str
    """The score of each system that decides, how many of its seeds train, or that none was run."""
    status: Status
    seeds: int
    """The fewest of these systems."""


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """Hold the systems of one scale: those that train, the best first, and those that fail."""

    title: str
    note: str
    systems: Sequence[RankedSystem]
    failed: Sequence[RankedSystem]
    baseline: RankedSystem | None
    """The first shallow system of the table, if it trains."""
    depth: Answer | None = None
    """The best deep system against the best shallow one; None if only one depth trains."""
    said: Sequence[str] = ()
    """What the systems show, a sentence each."""
    too_few: str = ""
    """Says that the updates are too few to tell systems apart, if they are."""
    findings: Sequence[PaperFinding] = ()

    @cached_property
    def best_shallow(self) -> RankedSystem | None:
        """Return the shallow system that is best on dev."""
        row = self.depth.other.row.id if self.depth else None
        return next((one for one in self.systems if one.cell.row == row), None)

    @cached_property
    def differences(self) -> Mapping[str, Difference]:
        """Return the differences to the baseline by system, in intervals that hold together."""
        found = {one.system.name: one.system.bleu for one in self.systems}
        baseline = found.pop(self.baseline.system.name) if self.baseline else ()
        return differences(found, baseline) if baseline and found else {}

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Return the lowest and highest value that is drawn."""
        drawn = [value for one in self.systems for value in one.system.bleu]
        for one in self.systems:
            if math.isfinite(one.half):
                drawn += [one.mean - one.half, one.mean + one.half]
        return min(drawn), max(drawn)

    def place(self, value: float) -> float:
        """Return where a value is drawn, from 0 to 100."""
        low, high = self.ends
        return 100 * (value - low) / ((high - low) or 1.0)

    def headline(self) -> str:
        """Say which system is best and if depth pays, or why that is not known."""
        if self.too_few:
            return self.too_few
        if len(self.systems) < 2:
            tried = len(self.systems) + len(self.failed)
            names = "".join(f", {one.system.name}" for one in self.systems)
            return f"{len(self.systems)} of {tried} systems train{names}: there is nothing to rank."
        best = self.systems[0]
        first = f"{best.system.name} is first of {len(self.systems)} systems"
        return f"{first}, with {best.mean:.1f} BLEU. {self._if_depth_pays()}"

    def _if_depth_pays(self) -> str:
        if self.depth is None:
            return "Nothing says if depth pays: only one depth trains."
        one, other = self.depth.one, self.depth.other
        pays = PAYS[self.depth.verdict]
        if not all(math.isfinite(noise) for _, noise in self.depth.intervals.values()):
            pays = ONE_SEED
        said = [
            f"{difference(*self.depth.intervals[measure.name])} {measure.name}"
            for measure in (CHRF, BLEU)
        ]
        return (
            f"{pays}: {one.name} has"
            f" {ratio(*self.depth.intervals[LOG_PERPLEXITY.name])} times the perplexity of"
            f" {other.name}, the best shallow system, and {' and '.join(said)}."
        )


def in_words(found: Difference) -> str:
    """Return e.g. "+1.7 (-0.4 to +3.8)", or the difference alone if nothing is known of it."""
    if not math.isfinite(found.low):
        return f"{found.value:+z.1f} (of unknown error)"
    return f"{found.value:+z.1f} ({found.low:+z.1f} to {found.high:+z.1f})"


def recorded_ranking(root: Path, scale: str) -> Ranking:
    """Return the ranking of a scale's records."""
    asked = {"scale": scale, "papers": [OWN_PAPER], "rows": ["all"], "from": "records"}
    plan = load_plan(root, asked)
    results = gather(plan, root, root / plan.config.results)
    [paper] = plan.papers
    return rank(paper, results, all_cells([paper], results), root)


def rank(paper: Paper, results: Results, cells: Sequence[Cell], root: Path) -> Ranking:
    """Rank the systems with records in a paper's tables of all methods by BLEU on test."""
    bleu = {cell.row: cell for cell in cells if cell.column == "bleu"}
    pooled, costs = pool_cells(cells), core_seconds(root / "records")
    tried = rates_that_train(root / f"scales/{results.scale}.rates.csv")
    found: list[RankedSystem] = []
    for row in rows_of_methods(paper).values():
        if not (records := results.records_of(row)):
            continue
        spec, cell = results.specs[row.id], bleu[row.id]
        seeds = [record for record in records if trains(record) or too_short(record)]
        system, cost = system_of(row, seeds, results), costs.get(spec.run)
        found.append(
            RankedSystem(
                system=system,
                cell=cell,
                half=half_width([cell.error(pooled)]) if system.bleu else math.inf,
                parameters=records[0].parameters,
                rates=tried.get(str(row.system), ""),
                note=" and ".join(filter(None, (failures(records), low_scores(records)))),
                core_hours=cost and cost * spec.training.updates / HOUR,
            )
        )
    compared = systems_of(paper, results)
    too_few = too_few_updates(results.records)
    return Ranking(
        title=results.scale_title,
        note=results.scale_note,
        systems=sorted((one for one in found if one.system.bleu), key=lambda one: -one.mean),
        failed=[one for one in found if not one.system.bleu],
        baseline=next((one for one in found if not one.system.deep and one.system.bleu), None),
        too_few=too_few,
        depth=compared.if_depth_pays,
        said=() if too_few else tuple(sentences(compared, costs, [paper])),
        findings=tuple(paper_findings(paper, results, cells)),
    )


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


def rates_that_train(path: Path) -> dict[str, str]:
    """Return the range of rates at which each system trains, from the trials of `tune`.

    A rate trains if one of its warm-ups does in every trial.
    """
    if not path.exists():
        return {}
    trials = pd.read_csv(path).assign(trains=lambda all: all.outcome == "finished")
    warmups = (
        trials.groupby(["system", "lr", "warmup"]).trains.all().groupby(["system", "lr"]).any()
    )
    found = {}
    for system, own in warmups.groupby("system"):
        rates = [f"{rate * 1e3:g}" for (_, rate), trained in own.items() if trained]
        found[str(system)] = " to ".join(dict.fromkeys((rates[0], rates[-1]))) if rates else "none"
    return found


def paper_findings(paper: Paper, results: Results, cells: Sequence[Cell]) -> Iterator[PaperFinding]:
    """Yield a finding for every claim that repeats one of another paper and can be judged."""
    evidence = gather_evidence(paper, cells, results, {})
    rows = {row.id.removeprefix(f"{paper.key}."): row for row in rows_of(paper)}
    for claim in paper.claims:
        judged = judge_claim(claim, paper, evidence)
        if not claim.repeats or judged.status == "not-measured":
            continue
        names = dict.fromkeys(name for check in claim.judge for name in check.cells)
        found = [(rows[name.rpartition(".")[0]], evidence.cells[name]) for name in names]
        yield PaperFinding(
            paper=claim.repeats,
            statement=claim.statement,
            seen="; ".join(_seen(row, results, cell) for row, cell in found),
            status=judged.status,
            seeds=min(cell.seeds for _, cell in found if cell.seeds),
        )


def _seen(row: Row, results: Results, cell: Cell) -> str:
    """Return e.g. "12+12 pre-norm 27.0 ± 0.7", or how many seeds train if not all do."""
    if not cell.seeds:
        return f"{row.label} was not run"
    name = system_of(row, (), results).name
    if cell.trained is not None and cell.trained < cell.seeds:
        return f"{name} trains {count(cell.trained, cell.seeds)}"
    if cell.ours is None:
        return f"{name} {cell.status}"
    spread = "" if cell.spread is None else f" ± {cell.spread:.1f}"
    return f"{name} {cell.ours:.1f}{spread}"
