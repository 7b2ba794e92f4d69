"""Answer the questions of docs/protocol.md: which method, does depth pay, at what budget."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from scipy.optimize import brentq
from scipy.stats import nct

from deepmt.config.papers import Paper, Row, find_table
from deepmt.metrics.interval import half_width, student
from deepmt.metrics.many_to_one import Difference, differences
from deepmt.metrics.spread import mean_and_spread
from deepmt.results.records import Record
from deepmt.results.results import Results
from deepmt.results.run_outcome import trains
from deepmt.results.standard_error import Pooled, Sample, pool, standard_error
from deepmt.results.still_moving import LogDev, of_logarithms, still_moving

POWER = 0.8
MOST_EFFECT = 20
"""Standard errors; two seeds of each find a smaller effect."""
TABLES = ("unified.table1", "unified.table6")
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
    """Hold a system whose seeds all train; `dev` is of those that logged it."""

    row: Row
    seeds: Sequence[Record]
    layers: tuple[int, int]
    deep: bool
    dev: Sequence[LogDev]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Hold the comparison of two systems."""

    one: TrainedSystem
    other: TrainedSystem
    verdict: Verdict
    intervals: Mapping[str, tuple[float, float]]
    """Difference and half of its 95 % interval, by measure."""


def systems_of(paper: Paper, results: Results) -> dict[str, TrainedSystem]:
    """Return the systems of TABLES whose seeds all train and are translated on test."""
    found = {}
    for row in (row for table in TABLES for row in find_table(paper, table).rows):
        seeds = [one for one in results.records_of(row) if "test" in one.scores]
        if row.system and seeds and all(map(trains, seeds)):
            spec = results.specs[row.id]
            layers = spec.encoder.layers, spec.decoder.layers
            found[row.system] = TrainedSystem(
                row=row,
                seeds=seeds,
                layers=layers,
                deep=max(layers) > results.depths["shallow"],
                dev=results.dev[seeds[0].run],
            )
    return found


def answers(systems: Mapping[str, TrainedSystem]) -> Iterator[Answer]:
    """Yield the answers to the questions whose systems have been run."""
    asked = [(systems[a], systems[b]) for a, b in QUESTIONS if {a, b} <= systems.keys()]
    deep, shallow = (best(one for one in systems.values() if one.deep == k) for k in (True, False))
    if deep and shallow:
        asked.append((deep, shallow))
    pooled = {
        measure.name: pool(sample(measure, one) for one in systems.values())
        for measure in (*DECISIVE, BLEU)
    }
    yield from (compare(one, other, pooled) for one, other in asked)


def best(systems: Iterable[TrainedSystem]) -> TrainedSystem | None:
    """Return the system whose seeds have the lowest mean log perplexity on dev."""

    def dev(system: TrainedSystem) -> float:
        return fmean(math.log(one.perplexities["dev"] or math.inf) for one in system.seeds)

    return min(systems, key=dev, default=None)


def compare(one: TrainedSystem, other: TrainedSystem, pooled: Mapping[str, Pooled]) -> Answer:
    """Compare two systems: better or worse if all decisive measures say so."""
    intervals, directions = {}, set()
    for measure in (*DECISIVE, BLEU):
        values = [fmean(map(measure.of, system.seeds)) for system in (one, other)]
        samples = [sample(measure, system) for system in (one, other)]
        noise = half_width(standard_error(each, pooled[measure.name]) for each in samples)
        value = values[0] - values[1]
        intervals[measure.name] = value, noise
        if measure in DECISIVE:
            directions.add(measure.sign * math.copysign(1, value) if abs(value) > noise else 0)
    verdict: Verdict = "undecided"
    if directions in ({1}, {-1}):
        verdict = "better" if directions == {1} else "worse"
        if still_moving(one.dev, other.dev, pooled[LOG_PERPLEXITY.name]):
            verdict = "still moving"
    return Answer(one=one, other=other, verdict=verdict, intervals=intervals)


def sample(measure: QualityMeasure, system: TrainedSystem) -> Sample:
    """Return the spread of a measure over the seeds."""
    values = [measure.of(seed) for seed in system.seeds]
    if measure is LOG_PERPLEXITY:
        return of_logarithms(system.row.id, values)
    mean, spread = mean_and_spread(values)
    return Sample(measure.unit, system.row.id, mean, spread, len(values))


def beside_baseline(
    systems: Mapping[str, TrainedSystem], measure: QualityMeasure
) -> dict[str, Difference]:
    """Return Dunnett's intervals of all other systems' differences to the baseline."""
    values = {name: [measure.of(seed) for seed in one.seeds] for name, one in systems.items()}
    baseline = values.pop(BASELINE, None)
    return differences(values, baseline) if baseline else {}


def detectable(spread: float, seeds: int) -> float:
    """Return the difference of two systems that Student's test at 5 % finds in 80 % of cases."""
    freedom = 2 * (seeds - 1)
    limit = student(freedom)

    def surplus(effect: float) -> float:
        return float(nct.sf(limit, freedom, effect)) - POWER

    return float(brentq(surplus, 0, MOST_EFFECT)) * spread * math.sqrt(2 / seeds)
