"""Say in sentences which method is best, and if depth pays, by update and by core second."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean

import numpy as np

from deepmt.config.papers import Paper, rows_of
from deepmt.report.answer import (
    BASELINE,
    BLEU,
    CHRF,
    LOG_PERPLEXITY,
    Answer,
    QualityMeasure,
    TrainedSystem,
    answers,
    beside,
    best,
    detectable,
    if_depth_pays,
    pooled,
)
from deepmt.report.core_seconds import HOUR
from deepmt.results.quality_by_update import quality_by_update
from deepmt.results.tolerance import tolerance_of

PRINTED = {("deep-dlcl-pre", "deep-pre"): ("wang2019.t1.r18", "wang2019.t1.r16")}
"""Rows of a paper whose difference stands beside ours: 30L DLCL and 20L pre-norm."""
SINCE = ("since 2020", "Muon")
"""Groups of rows."""
SEEDS = 3
"""Seeds of each system for which the smallest difference that would be found is stated."""


def sentences(
    systems: Mapping[str, TrainedSystem],
    costs: Mapping[str, float],
    papers: Iterable[Paper] = (),
) -> Iterator[str]:
    """Yield what the systems of a scale show; `costs` are core seconds of an update by run."""
    if len(systems) < 2:
        return
    rows = {row.id: row for paper in papers for row in rows_of(paper)}
    printed = {id_: value for id_, row in rows.items() if (value := row.values.get("bleu"))}
    yield _leader(systems)
    for answer in answers(systems):
        yield _answered(answer, printed)
    if (depth := if_depth_pays(systems)) is not None:
        yield from _by_core_second(depth, costs)
    yield from _order(systems)
    yield from _since(systems)
    yield from _against_baseline(systems)
    yield from noise(systems)


def _leader(systems: Mapping[str, TrainedSystem]) -> str:
    leader = best(systems.values())
    assert leader is not None
    seeds = sorted({len(one.seeds) for one in systems.values()})
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
        said += f"; printed: {printed[pair[0]] - printed[pair[1]]:+.1f} BLEU"
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


def _order(systems: Mapping[str, TrainedSystem]) -> Iterator[str]:
    logs = {one.name: log_dev_by_update(one) for one in systems.values()}
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


def _since(systems: Mapping[str, TrainedSystem]) -> Iterator[str]:
    """Compare the methods since 2020 with the best deep one of the four papers."""
    since = [one for one in systems.values() if one.row.group in SINCE]
    old = best(one for one in systems.values() if one.deep and one not in since)
    if old is None:
        return
    if not since:
        yield "No method since 2020 has trained on this text yet."
        return
    if (better := _better(old, since)) is None:
        return
    yield (
        f"Methods since 2020 shown to have a lower perplexity than {old.name}, the best deep system"
        f" of the four papers: {_some(better, since)}."
    )


def _against_baseline(systems: Mapping[str, TrainedSystem]) -> Iterator[str]:
    baseline = systems.get(BASELINE)
    others = [one for one in systems.values() if one is not baseline]
    if baseline is None or not others:
        return
    if (better := _better(baseline, others)) is None:
        return
    yield (
        f"Systems shown to have a lower perplexity than {baseline.name}, the papers' baseline:"
        f" {_some(better, others)}."
    )


def _better(control: TrainedSystem, others: Sequence[TrainedSystem]) -> list[str] | None:
    """Return those whose interval, corrected for their number (Dunnett), is below the control.

    None if no system has a second seed.
    """
    found = beside(control, others, LOG_PERPLEXITY)
    if not all(math.isfinite(one.low) for one in found.values()):
        return None
    return [
        f"{name} {ratio(one.value, (one.high - one.low) / 2)} times"
        for name, one in sorted(found.items(), key=lambda item: item[1].value)
        if one.high < 0
    ]


def _some(names: Sequence[str], all_: Sequence[TrainedSystem]) -> str:
    return f"{len(names) or 'none'} of {len(all_)}" + ": " * bool(names) + ", ".join(names)


def noise(systems: Mapping[str, TrainedSystem]) -> Iterator[str]:
    """Yield the spread over seeds, and what can be found; nothing if no system has two seeds."""
    spreads = pooled(systems)
    parts = []
    for measure, name in ((LOG_PERPLEXITY, "perplexity"), (CHRF, "chrF"), (BLEU, "BLEU")):
        own = spreads[measure.name].get(measure.unit)
        if own is None:
            return
        spread = own.tolerances * tolerance_of(measure.unit, 1.0)
        size = detectable(spread, SEEDS)
        parts.append(
            f"{100 * spread:.1f} and {100 * size:.1f} % of the perplexity"
            if measure is LOG_PERPLEXITY
            else f"{spread:.1f} and {size:.1f} {name}"
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
    return f"{value:+.{digits}f}{known}"
