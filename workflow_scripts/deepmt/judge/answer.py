"""Answer the questions of docs/protocol.md: which method, does depth pay, at what budget."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Literal

from scipy.optimize import brentq
from scipy.stats import nct

from deepmt.config.papers import Paper, Row
from deepmt.judge.interval import half_width, student
from deepmt.judge.moving import of_logarithms, still_moving
from deepmt.judge.standard_error import Pooled, Sample, pool, standard_error
from deepmt.results.dev_progress import LogDev
from deepmt.results.records import Record
from deepmt.results.results import Results
from deepmt.results.seeds import mean_and_spread, trains

POWER = 0.8
MOST_EFFECT = 20
"""Standard errors; two seeds of each find a smaller effect."""
TABLES = (1, 6)
"""Numbers of the tables of `unified` that compare methods."""
BASELINE = "shallow-post"
"""The papers' baseline, which all systems are compared with."""
QUESTIONS = (("deep-admin", "deep-pre"), ("deep-dlcl-pre", "deep-pre"))
"""Is the first system better than the second? Registered before the test sets were looked at.

The systems of the third question are chosen on dev: the best deep and the best shallow one.
"""
Verdict = Literal["better", "worse", "undecided", "still moving"]


@dataclass(frozen=True, kw_only=True)
class QualityMeasure:
    """Define a quantity of a seed; `unit` names the tolerance that bounds its spread."""

    name: str
    unit: str
    of: Callable[[Record], float]
    sign: int = 1
    """-1 if lower is better."""


LOG_PERPLEXITY = QualityMeasure(
    name="log perplexity",
    unit="perplexity",
    of=lambda record: math.log(record.perplexities["test"] or math.inf),
    sign=-1,
)
CHRF = QualityMeasure(
    name="chrF", unit="chrF", of=lambda record: record.scores["test"]["chrf"].value
)
BLEU = QualityMeasure(
    name="BLEU", unit="BLEU", of=lambda record: record.scores["test"]["bleu"].value
)
DECISIVE = (LOG_PERPLEXITY, CHRF)
"""Measures that questions are asked of; BLEU is reported beside them."""


@dataclass(frozen=True, kw_only=True)
class TrainedSystem:
    """Hold a system with seeds that train; `dev` is of those that logged it."""

    row: Row
    seeds: Sequence[Record]
    layers: tuple[int, int]
    """Of encoder and decoder."""
    deep: bool
    """Has more layers than the scale's shallow systems."""
    dev: Sequence[LogDev]

    @property
    def name(self) -> str:
        """Return e.g. "12+6 pre-norm"."""
        return "{}+{} {}".format(*self.layers, self.row.label)

    @property
    def bleu(self) -> list[float]:
        """Return BLEU on test of the seeds that are translated."""
        return [BLEU.of(seed) for seed in self.seeds if "test" in seed.scores]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Hold the comparison of two systems."""

    one: TrainedSystem
    other: TrainedSystem
    verdict: Verdict
    intervals: Mapping[str, tuple[float, float]]
    """Difference and half of its 95 % interval, by measure."""


@dataclass(frozen=True)
class ComparedSystems:
    """Hold the systems of a scale whose seeds all train, by name, and compare them."""

    systems: Mapping[str, TrainedSystem]

    @cached_property
    def spreads(self) -> dict[str, Pooled]:
        """Return the spread over seeds that all systems have in common, by measure."""
        return {
            measure.name: pool(sample(measure, one) for one in self.systems.values())
            for measure in (*DECISIVE, BLEU)
        }

    @cached_property
    def if_depth_pays(self) -> Answer | None:
        """Compare the best deep system with the best shallow one, both chosen on dev."""
        deep, shallow = (
            best(one for one in self.systems.values() if one.deep == kind) for kind in (True, False)
        )
        return compare(deep, shallow, self.spreads) if deep and shallow else None

    def answers(self) -> Iterator[Answer]:
        """Yield the answers to the questions whose systems have been run."""
        for one, other in QUESTIONS:
            if {one, other} <= self.systems.keys():
                yield compare(self.systems[one], self.systems[other], self.spreads)
        if self.if_depth_pays:
            yield self.if_depth_pays


def rows_of_methods(paper: Paper) -> dict[str, Row]:
    """Return the row of each system, in the first of TABLES that has one."""
    found: dict[str, Row] = {}
    for table in (table for table in paper.tables if table.number in TABLES):
        for row in table.rows:
            if row.system:
                found.setdefault(row.system, row)
    return found


def systems_of(paper: Paper, results: Results) -> ComparedSystems:
    """Return the systems of TABLES whose seeds all train and are translated on test."""
    found = {}
    for system, row in rows_of_methods(paper).items():
        seeds = results.records_of(row)
        if seeds and all(trains(seed) and "test" in seed.scores for seed in seeds):
            found[system] = system_of(row, seeds, results)
    return ComparedSystems(found)


def system_of(row: Row, seeds: Sequence[Record], results: Results) -> TrainedSystem:
    """Return the system of a row with these of its seeds."""
    spec = results.specs[row.id]
    layers = spec.encoder.layers, spec.decoder.layers
    deep = max(layers) > results.depths["shallow"]
    return TrainedSystem(
        row=row, seeds=seeds, layers=layers, deep=deep, dev=results.dev.get(spec.run, ())
    )


def best(systems: Iterable[TrainedSystem]) -> TrainedSystem | None:
    """Return the system whose seeds have the lowest mean log perplexity on dev."""

    def dev(system: TrainedSystem) -> float:
        return fmean(math.log(one.perplexities["dev"] or math.inf) for one in system.seeds)

    return min(systems, key=dev, default=None)


def compare(one: TrainedSystem, other: TrainedSystem, spreads: Mapping[str, Pooled]) -> Answer:
    """Compare two systems: better or worse if all decisive measures say so."""
    intervals, directions = {}, set()
    for measure in (*DECISIVE, BLEU):
        values = [fmean(map(measure.of, system.seeds)) for system in (one, other)]
        samples = [sample(measure, system) for system in (one, other)]
        noise = half_width(standard_error(each, spreads[measure.name]) for each in samples)
        value = values[0] - values[1]
        intervals[measure.name] = value, noise
        if measure in DECISIVE:
            directions.add(measure.sign * math.copysign(1, value) if abs(value) > noise else 0)
    verdict: Verdict = "undecided"
    if directions in ({1}, {-1}):
        verdict = "better" if directions == {1} else "worse"
        if still_moving(one.dev, other.dev, spreads[LOG_PERPLEXITY.name]):
            verdict = "still moving"
    return Answer(one=one, other=other, verdict=verdict, intervals=intervals)


def sample(measure: QualityMeasure, system: TrainedSystem) -> Sample:
    """Return the spread of a measure over the seeds."""
    values = [measure.of(seed) for seed in system.seeds]
    if measure is LOG_PERPLEXITY:
        return of_logarithms(system.row.id, values)
    mean, spread = mean_and_spread(values)
    return Sample(measure.unit, system.row.id, mean, spread, len(values))


def detectable(spread: float, seeds: int) -> float:
    """Return the difference of two systems that Student's test at 5 % finds in 80 % of cases."""
    freedom = 2 * (seeds - 1)
    limit = student(freedom)

    def surplus(effect: float) -> float:
        return float(nct.sf(limit, freedom, effect)) - POWER

    return float(brentq(surplus, 0, MOST_EFFECT)) * spread * math.sqrt(2 / seeds)
