"""Say in sentences which method is best, and if depth pays, by update and by core second."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean

import numpy as np

from deepmt.config.papers import Paper, rows_of
from deepmt.judge.answer import (
    BASELINE,
    BLEU,
    CHRF,
    LOG_PERPLEXITY,
    Answer,
    ComparedSystems,
    QualityMeasure,
    TrainedSystem,
    best,
    detectable,
)
from deepmt.judge.many_to_one import differences
from deepmt.judge.tolerance import tolerance_of
from deepmt.results.core_seconds import HOUR
from deepmt.results.quality_by_update import quality_by_update

PRINTED = {("deep-dlcl-pre", "deep-pre"): ("wang2019.t1.r18", "wang2019.t1.r16")}
"""Rows of a paper whose difference stands beside ours: 30L DLCL and 20L pre-norm."""
SINCE = ("since 2020", "Muon")
"""Groups of rows."""
SEEDS = 3
"""Seeds of each system for which the smallest difference that would be found is stated."""


def sentences(
    compared: ComparedSystems, costs: Mapping[str, float], papers: Iterable[Paper] = ()
) -> Iterator[str]:
    """Yield what the systems of a scale show; `costs` are core seconds of an update by run."""
    systems = [*compared.systems.values()]
    if len(systems) < 2:
        return
    rows = {row.id: row for paper in papers for row in rows_of(paper)}
    printed = {id_: value for id_, row in rows.items() if (value := row.values.get("bleu"))}
    yield _leader(systems)
    for answer in compared.answers():
        yield _answered(answer, printed)
    if compared.if_depth_pays:
        yield from _by_core_second(compared.if_depth_pays, costs)
    yield from _order(systems)
    yield from _since(systems)
    yield from _against_baseline(compared.systems.get(BASELINE), systems)
    yield from noise(compared)


def _leader(systems: Sequence[TrainedSystem]) -> str:
    leader = best(systems)
    assert leader is not None
    seeds = sorted({len(one.seeds) for one in systems})
    count = " to ".join(map(str, dict.fromkeys((seeds[0], seeds[-1]))))
    first, *_ = leader.seeds
    return (
        f"After {first.updates:,} updates ({first.epochs:.2g} passes), {leader.name}"
        f" predicts dev best of {len(systems)} systems ({count} seed{'s' * (seeds[-1] > 1)} each):"
        f" on test, perplexity {math.exp(_mean(LOG_PERPLEXITY, leader)):.2f},"
        f" {_mean(CHRF, leader):.1f} chrF, {_mean(BLEU, leader):.1f} BLEU."
    )


def _mean(measure: QualityMeasure, system: TrainedSystem) -> float:
    return fmean(map(measure.of, system.seeds))


def _answered(answer: Answer, printed: Mapping[str, float]) -> str:
    one, other = answer.one, answer.other
    said = (
        f"Is {one.name} better than {other.name}? {answer.verdict.capitalize()}:"
        f" {ratio(*answer.intervals[LOG_PERPLEXITY.name])} times its perplexity on test, chrF"
        f" {difference(*answer.intervals[CHRF.name])}, BLEU"
        f" {difference(*answer.intervals[BLEU.name])}"
    )
    if all(lengths := [_length(side) for side in (one, other)]):
        said += " ({:.3f} and {:.3f} times as long as the references)".format(*lengths)
    leads = _leads(one, other)
    if len(leads) > 1:
        ratios, updates = (", ".join(each) for each in (
            [f"{math.exp(lead):.2f}" for lead in leads.values()], [f"{u:,}" for u in leads]
        ))  # fmt: skip
        said += f"; on dev, {ratios} times after {updates} updates"
    pair = PRINTED.get((str(one.row.system), str(other.row.system)))
    if pair and printed.keys() >= set(pair):
        said += f"; printed: {printed[pair[0]] - printed[pair[1]]:+z.1f} BLEU"
    return f"{said}."


def _length(system: TrainedSystem) -> float:
    """Return the length of the translations over that of the references; 0 if it is not known."""
    known = [seed.scores["test"]["bleu"].length_ratio or 0.0 for seed in system.seeds]
    return fmean(known) if all(known) else 0.0


def log_dev_by_update(system: TrainedSystem) -> dict[int, float]:
    """Return the mean log perplexity on dev at each update that all seeds were scored at."""
    seeds = [quality_by_update(seed, "dev") for seed in system.seeds]
    return {
        update: fmean(math.log(seed[update]["perplexity"]) for seed in seeds)
        for update in seeds[0]
        if all(update in seed for seed in seeds)
    }


def _leads(one: TrainedSystem, other: TrainedSystem) -> dict[int, float]:
    """Return the log ratio of dev perplexities at each update that both were scored at."""
    theirs = log_dev_by_update(other)
    return {u: log - theirs[u] for u, log in log_dev_by_update(one).items() if u in theirs}


def _by_core_second(answer: Answer, costs: Mapping[str, float]) -> Iterator[str]:
    """Compare at the cost of the shallow system's last update; linear in log updates between."""
    one, other = answer.one, answer.other
    dear, cheap = (costs.get(side.seeds[0].run) for side in (one, other))
    known, ends = log_dev_by_update(one), log_dev_by_update(other)
    if not dear or not cheap or len(known) < 2:
        return
    updates = max(ends)
    equal = updates * cheap / dear
    log = float(np.interp(math.log(equal), [math.log(u) for u in known], list(known.values())))
    yield (
        f"Per core second: {updates:,} updates of {other.name} cost {updates * cheap / HOUR:.2f}"
        f" core hours, as {equal:,.0f} of {one.name} do, whose perplexity on dev is then"
        f" {math.exp(log - ends[updates]):.2f} times as high."
    )


def _order(systems: Sequence[TrainedSystem]) -> Iterator[str]:
    logs = {one.name: log_dev_by_update(one) for one in systems}
    common = sorted(set.intersection(*map(set, logs.values())))
    if len(common) < 2:
        return
    first, last = common[0], common[-1]
    passed = [
        f"{ahead} passes {behind}"
        for pair in combinations(logs, 2)
        for ahead, behind in (pair, pair[::-1])
        if logs[ahead][first] > logs[behind][first] and logs[ahead][last] < logs[behind][last]
    ]
    yield (
        f"Between {first:,} and {last:,} updates, {len(passed)} of"
        f" {math.comb(len(logs), 2)} pairs of systems change places on dev"
        f"{': ' if passed else ''}{', '.join(passed)}."
    )


def _since(systems: Sequence[TrainedSystem]) -> Iterator[str]:
    """Compare the methods since 2020 with the best deep one of the four papers."""
    since = [one for one in systems if one.row.group in SINCE]
    old = best(one for one in systems if one.deep and one not in since)
    if old and not since:
        yield "No method since 2020 has trained on this text yet."
    elif old:
        yield from _better(
            old, since, "Methods since 2020", "the best deep system of the four papers"
        )


def _against_baseline(
    baseline: TrainedSystem | None, systems: Sequence[TrainedSystem]
) -> Iterator[str]:
    if baseline:
        others = [one for one in systems if one is not baseline]
        yield from _better(baseline, others, "Systems", "the papers' baseline")


def _better(
    control: TrainedSystem, others: Sequence[TrainedSystem], kind: str, role: str
) -> Iterator[str]:
    """Name those whose interval, corrected for their number (Dunnett), is below the control.

    If no system has a second seed, say nothing.
    """
    logs, *rest = ([LOG_PERPLEXITY.of(seed) for seed in s.seeds] for s in (control, *others))
    found = differences(dict(zip((one.name for one in others), rest, strict=True)), logs)
    if not all(math.isfinite(one.half) for one in found.values()):
        return
    better = [
        f"{name} {ratio(one.value, one.half)} times"
        for name, one in sorted(found.items(), key=lambda item: item[1].value)
        if one.high < 0
    ]
    yield (
        f"{kind} shown to have a lower perplexity than {control.name}, {role}:"
        f" {len(better) or 'none'} of {len(others)}{': ' * bool(better)}{', '.join(better)}."
    )


def noise(compared: ComparedSystems) -> Iterator[str]:
    """Yield the spread over seeds, and what can be found; nothing if no system has two seeds."""
    parts = []
    for measure in (LOG_PERPLEXITY, CHRF, BLEU):
        own = compared.spreads[measure.name].get(measure.unit)
        if own is None:
            return
        spread = own.tolerances * tolerance_of(measure.unit, 1.0)
        size = detectable(spread, SEEDS)
        parts.append(
            f"{100 * spread:.1f} and {100 * size:.1f} % of the perplexity"
            if measure is LOG_PERPLEXITY
            else f"{spread:.1f} and {size:.1f} {measure.name}"
        )
    yield (
        f"Noise: the spread over seeds, and the difference of two systems with {SEEDS} seeds each"
        f" that is found in four of five cases, are {'; '.join(parts)}."
    )


def ratio(log: float, noise: float) -> str:
    """Return e.g. "0.930 (0.900 to 0.960)", from a difference of logarithms."""
    known = f" ({math.exp(log - noise):.3f} to {math.exp(log + noise):.3f})"
    return f"{math.exp(log):.3f}{known if math.isfinite(noise) else ''}"


def difference(value: float, noise: float, digits: int = 1) -> str:
    """Return a difference and half of its interval, if that is known."""
    known = f" ± {noise:.{digits}f}" if math.isfinite(noise) else ""
    return f"{value:+z.{digits}f}{known}"
