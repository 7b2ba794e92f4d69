"""Decide one check of a claim by the written rule (docs/claims.md)."""

import math
from collections.abc import Sequence

from deepmt.judge.check_sides import (
    CheckResult,
    Status,
    compare,
    describe,
    holds_between,
    mean,
    noise_of_ratio,
    of_unequal_budgets,
    outcome_of,
    runs_of,
    same_run,
)
from deepmt.judge.evidence import Evidence, Operand
from deepmt.study.paper_claims import Check

UNTESTED = "not tested over sentences"

RULE = (
    "A claim holds if all of its checks do and none of its parts is without one. It fails if a"
    " check fails; else it differs on this machine if a check of a time or speed fails, since the"
    " papers' were measured on GPUs; else it is not measured if a check lacks a value of ours, else"
    " undecided if one is, else it holds in part if only the direction of a size was compared or a"
    " part has no check. Means over seeds are compared. A check holds if it does for the"
    " whole 95 % interval (Welch), fails if it does for no part of it, and else is undecided. With"
    " fewer than three seeds the spread is the pooled one of the scale."
    " Directions are judged at every scale; sizes and numbers that the paper prints only at the"
    " paper's scale, or where no training is needed. A system trained if every seed finished with 5"
    " BLEU or more, and failed if none did, beside one that trained. Only systems that trained are"
    " compared; a check about training takes one that failed for worse."
)


def judge_check(check: Check, evidence: Evidence) -> CheckResult:
    """Decide one check."""
    if check.either:
        return _any_of([(one.of[0], judge_check(one, evidence)) for one in check.readings()])
    cells = evidence.operands(check.cells)
    lacking = [cell for cell in cells if cell.missing and cell.name not in check.beside]
    if lacking:
        missing = tuple((cell.name, cell.missing) for cell in lacking)
        return CheckResult(status="not-measured", missing=missing)
    apart = evidence.operands(check.apart)
    if len(runs := runs_of(apart)) < len(apart):
        return same_run(apart, runs)
    if check.outcome:
        return _judge_outcome(check, evidence)
    if found := of_unequal_budgets(cells, evidence.budgets):
        return found
    if check.beats or check.ties:
        return _judge_test(check, cells, evidence)
    return compare(check, evidence)


def _any_of(readings: Sequence[tuple[str, CheckResult]]) -> CheckResult:
    """Combine the results of readings of one system, by the name of its cell."""
    found = {result.status for _, result in readings}
    texts = [
        f"{result.text or f'{name} has no value: {result.missing[0][1]}'}"
        f" ({result.status.replace('-', ' ')})"
        for name, result in readings
    ]
    results = [result for _, result in readings]
    decisive: tuple[Status, ...] = ("holds", "holds-in-part")
    best = next((status for status in decisive if status in found), None)
    return CheckResult(
        status=best or (found.pop() if len(found) == 1 else "undecided"),
        text=" or ".join(texts),
        scale=next((result.scale for result in results if result.scale), ""),
        runs=frozenset().union(*(result.runs for result in results)),
        notes=tuple(note for result in results for note in result.notes),
    )


def _judge_outcome(check: Check, evidence: Evidence) -> CheckResult:
    """Decide if a system trained, from its outcome and its score compared with others."""
    [system], beside = evidence.operands(check.of), evidence.operands(check.beside)
    ended, text = _ended(system, beside)
    budgets = [
        max((evidence.budgets.get(run, 0) for run in runs_of(side)), default=0)
        for side in ([system], beside)
    ]
    starved = budgets[0] < budgets[1]
    if (
        ended == "failed"
        and starved
        and (found := of_unequal_budgets([system, *beside], evidence.budgets))
    ):
        return found
    status: Status = "holds" if ended == check.outcome else "fails"
    said = "trains" if check.outcome == "trained" else "fails"
    return CheckResult(
        status=status if ended else "undecided",
        text=f"{system.text}{text}; the claim is that it {said}",
        scale=evidence.scale,
        runs=system.runs,
        notes=system.notes,
    )


def _ended(system: Operand, beside: list[Operand]) -> tuple[str, str]:
    """Return how a system ended, or "" if that is open, and a text about it."""
    if system.outcome == "undecided":
        return "", ": some seeds may train, others not"
    if beside and any(other.missing for other in beside):
        names = ", ".join(other.name for other in beside)
        return "", f", but {names}, needed for comparison, was not run"
    if outcome_of(beside) != "trained":
        return "", f", and so it is with {describe(beside)}"
    if system.outcome == "failed":
        return "failed", f" beside {describe(beside)}" if beside else ""
    if beside and not any(other.printed for other in beside):
        sides = mean([system]), mean(beside)
        one, other = sides[::-1] if system.lower_is_better else sides
        ratio, noise = one.number / other.number, noise_of_ratio(one, other)
        if holds_between(ratio, noise if math.isfinite(noise) else 0.0, 0.5, math.inf) != "holds":
            return "", f" finished, but may not be half as good as {describe(beside)}"
    return "trained", " finished"


def _judge_test(check: Check, cells: list[Operand], evidence: Evidence) -> CheckResult:
    """Decide by the significance tests of a row against each of the others."""
    if outcome_of(cells) != "trained":
        text = ", ".join(cell.text for cell in cells)
        return CheckResult(status="undecided", text=text, scale=evidence.scale)
    [name], others = check.of, check.beats or check.ties
    pairs = {str(other): evidence.tests.get((str(name), str(other))) for other in others}
    found = [(other, pair) for other, pair in pairs.items() if pair is not None and pair.ours]
    if len(found) < len(pairs):
        missing = tuple(
            (f"{name} against {other}", pair.note if pair else UNTESTED)
            for other, pair in pairs.items()
            if pair is None or not pair.ours
        )
        return CheckResult(status="not-measured", missing=missing)
    expected = "+" if check.beats else "="
    words = {"+": "is significantly better than", "-": "is significantly worse than"}
    texts = [
        f"{name} {pair.score:.4g} {words.get(pair.ours, 'does not differ significantly from')}"
        f" {other} {pair.score_against:.4g} (p = {pair.p_value:.3f})"
        for other, pair in found
    ]
    return CheckResult(
        status="holds" if all(pair.ours == expected for _, pair in found) else "fails",
        text="; ".join(texts),
        scale=evidence.scale,
        runs=runs_of(evidence.operands((name, *others))),
        notes=(("", "paired bootstrap over sentences, the first finished seed of each system"),),
    )
