"""Compare the two sides of a check: their difference, and its uncertainty."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from deepmt.config.paper_claims import Check
from deepmt.report.evidence import Evidence, Notes, Operand
from deepmt.results.verdict import UNLEARNED, unlearned

Status = Literal["fails", "not-measured", "undecided", "holds"]
FULL_SIZE = "full size"
"""Scale of values that need no training and are measured at the paper's own size."""
DIRECTION_ONLY = "direction only: sizes are compared at the paper's scale only"
UNEQUAL = 1.3
"""Ratio of training tokens above which a comparison of scores would measure the budget."""
POSITIVE = math.ulp(0.0)
"""The smallest number above 0."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """Hold one side of a comparison: a value, or the mean of several."""

    number: float
    errors: Mapping[str, float]
    """Contribution of each source to the standard error; errors of one run are correlated."""


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """Hold the result of one check."""

    status: Status
    text: str = ""
    missing: tuple[tuple[str, str], ...] = ()
    """Missing cells and facts with the reasons, in place of a text."""
    scale: str = ""
    """Scale of the measurements; empty if there are none."""
    runs: frozenset[str] = frozenset()
    notes: Notes = ()


def runs_of(operands: Iterable[Operand]) -> frozenset[str]:
    """Return the runs behind the operands."""
    return frozenset(run for operand in operands for run in operand.runs)


def notes_of(operands: Iterable[Operand]) -> Notes:
    """Return the notes: machines, diverged seeds, other test sets, findings."""
    return tuple(note for operand in operands for note in operand.notes)


def mean(operands: Sequence[Operand]) -> Side:
    """Return the mean; no operand may be missing or have diverged."""
    errors: dict[str, float] = defaultdict(float)
    for operand in operands:
        errors[", ".join(operand.runs) or operand.name] += operand.error / len(operands)
    total = math.fsum(operand.number or 0.0 for operand in operands)
    return Side(number=total / len(operands), errors=errors)


def describe(operands: Sequence[Operand]) -> str:
    """Describe the operands, with values, spreads and seeds."""
    texts = ", ".join(operand.text for operand in operands)
    if len(operands) == 1:
        return texts
    if any(operand.diverged for operand in operands):
        return f"({texts})"
    return f"the mean {mean(operands).number:.4g} of ({texts})"


def learned_nothing(operands: Sequence[Operand]) -> bool:
    """Check if the mean of BLEU scores is that of systems that learned nothing."""
    measures = [operand.measure for operand in operands if operand.measure]
    return bool(measures) and unlearned(measures[0], mean(operands).number)


def compare(check: Check, evidence: Evidence) -> CheckResult:
    """Compare one side with the other; every cell must have a value or have diverged."""
    one = evidence.operands(check.of)
    other = evidence.operands(check.above or check.below or check.near)
    both = [*one, *other]
    comparable = all(operand.comparable for operand in both)
    if not comparable and (check.near or any(operand.printed for operand in both)):
        text = f"{describe(one)} against {describe(other)} is compared at the paper's scale only"
        return CheckResult(status="not-measured", text=text)
    if shared := runs_of(one) & runs_of(other):
        return same_run(both, shared)
    word = "near" if check.near else "below" if check.below else "above"
    direction = (("", DIRECTION_ONLY),) if check.sized and not comparable else ()
    high, low = (other, one) if check.below else (one, other)
    status, relation = _relate(check, high, low, sized=comparable)
    return CheckResult(
        status=status,
        text=f"{describe(one)} {word} {describe(other)}{relation}",
        scale=evidence.scale if runs_of(both) else FULL_SIZE,
        runs=runs_of(both),
        notes=notes_of(both) + direction,
    )


def same_run(operands: Iterable[Operand], runs: frozenset[str]) -> CheckResult:
    """Return the result for systems that are one run at this scale, so cannot be compared."""
    names = dict.fromkeys(operand.name for operand in operands if operand.name)
    text = f"at this scale several of {', '.join(names)} are the same run"
    return CheckResult(status="not-measured", text=f"{text}: {', '.join(sorted(runs))}")


def unequal(operands: Iterable[Operand], budgets: Mapping[str, int]) -> CheckResult | None:
    """Return a result if this scale trains one system on many more tokens; else None."""
    cells = [operand for operand in operands if operand.measure and not operand.missing]
    tokens = sorted(budgets[run] for run in runs_of(cells) if run in budgets)
    even = not tokens or tokens[-1] <= UNEQUAL * tokens[0]
    if even or all(operand.comparable for operand in cells):
        return None
    text = f"{describe(cells)}: at this scale one is trained on {tokens[0]:,} target tokens,"
    return CheckResult(status="not-measured", text=f"{text} another on {tokens[-1]:,}")


def _relate(
    check: Check, high: Sequence[Operand], low: Sequence[Operand], *, sized: bool
) -> tuple[Status, str]:
    """Return status and difference; a diverged side decides checks about training."""
    diverged = [any(operand.diverged for operand in side) for side in (high, low)]
    if not any(diverged):
        if learned_nothing(high) and learned_nothing(low):
            return "undecided", f" (both below {UNLEARNED:g}: neither learned anything)"
        status, found = _measure(check, mean(high), mean(low), sized=sized)
        return status, f" ({found})"
    if all(diverged) or check.diverged != "worse":
        return "undecided", ""
    return ("fails" if diverged[0] else "holds"), ""


def _measure(check: Check, high: Side, low: Side, *, sized: bool) -> tuple[Status, str]:
    """Return the status and the difference or ratio, by the interval that the check allows."""
    value, noise = high.number - low.number, noise_of_difference(high, low)
    found, expected = f"difference {value:.3g} ± {noise:.2g}", ""
    least, most, within = POSITIVE, math.inf, check.within or 0.0
    if check.near:
        least, most, expected = -within, within, f"within {within:g}"
    elif sized and check.by is not None:
        least, most = max(POSITIVE, check.by - within), check.by + within
        expected = f"{check.by:g} ± {within:g}"
    elif sized and check.by_at_least is not None:
        least, expected = check.by_at_least, f"at least {check.by_at_least:g}"
    elif sized and (times := check.times or check.times_at_least):
        value, noise = high.number / low.number, noise_of_ratio(high, low)
        found = f"ratio {value:.3g} ± {noise:.2g}"
        least, most = times - within, times + within if check.times else math.inf
        expected = f"{times:g} ± {within:g}" if check.times else f"at least {times:g}"
    return decide(value, noise, least, most), f"{found}, expected {expected}" if expected else found


def decide(value: float, noise: float, least: float, most: float) -> Status:
    """Return holds, fails or undecided for a value with noise and an interval."""
    if least <= value - noise and value + noise <= most:
        return "holds"
    return "fails" if value + noise < least or most < value - noise else "undecided"


def noise_of_difference(one: Side, other: Side) -> float:
    """Return twice the standard error of the difference between two sides."""
    return 2 * math.hypot(*one.errors.values(), *other.errors.values())


def noise_of_ratio(one: Side, other: Side) -> float:
    """Return twice the standard error of the ratio of two sides, to first order."""
    relative = [error / side.number for side in (one, other) for error in side.errors.values()]
    return abs(2 * math.hypot(*relative) * one.number / other.number)
