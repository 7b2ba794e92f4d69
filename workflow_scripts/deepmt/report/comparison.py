"""Two sides of a check compared: how far apart they are, and how sure that is."""

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
"""Scale of what needs no training and is measured at the paper's own size."""
DIRECTION_ONLY = "direction only: sizes are compared at the paper's scale alone"
UNEQUAL = 1.3
"""Times as many training tokens: a comparison of scores then measures the budget."""
POSITIVE = math.ulp(0.0)
"""The least number above 0."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """One side of a comparison: a value, or the mean of several."""

    number: float
    errors: Mapping[str, float]
    """Share of each source in the standard error: cells of one run err together."""


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """What one check came to."""

    status: Status
    text: str = ""
    missing: tuple[tuple[str, str], ...] = ()
    """Cells and facts that it lacks, in place of a text, with the reasons."""
    scale: str = ""
    """Of what was measured for it; empty if nothing was."""
    runs: frozenset[str] = frozenset()
    notes: Notes = ()


def runs_of(operands: Iterable[Operand]) -> frozenset[str]:
    """Return what was trained for them."""
    return frozenset(run for operand in operands for run in operand.runs)


def notes_of(operands: Iterable[Operand]) -> Notes:
    """Return machines, seeds that diverged, other test sets, findings."""
    return tuple(note for operand in operands for note in operand.notes)


def mean(operands: Sequence[Operand]) -> Side:
    """Return the mean; none of them may be missing or have diverged."""
    errors: dict[str, float] = defaultdict(float)
    for operand in operands:
        errors[", ".join(operand.runs) or operand.name] += operand.error / len(operands)
    total = math.fsum(operand.number or 0.0 for operand in operands)
    return Side(number=total / len(operands), errors=errors)


def described(operands: Sequence[Operand]) -> str:
    """Return what is compared, with values, spreads and seeds."""
    texts = ", ".join(operand.text for operand in operands)
    if len(operands) == 1:
        return texts
    if any(operand.diverged for operand in operands):
        return f"({texts})"
    return f"the mean {mean(operands).number:.4g} of ({texts})"


def learned_nothing(operands: Sequence[Operand]) -> bool:
    """Check whether the mean of BLEU scores is one of systems that learned nothing."""
    measures = [operand.measure for operand in operands if operand.measure]
    return bool(measures) and unlearned(measures[0], mean(operands).number)


def compare(check: Check, evidence: Evidence) -> CheckResult:
    """Compare one side with the other; every cell has been run or is printed."""
    one = evidence.operands(check.of)
    other = evidence.operands(check.above or check.below or check.near)
    both = [*one, *other]
    comparable = all(operand.comparable for operand in both)
    if not comparable and (check.near or any(operand.printed for operand in both)):
        text = f"{described(one)} against {described(other)} is compared at the paper's scale alone"
        return CheckResult(status="not-measured", text=text)
    if shared := runs_of(one) & runs_of(other):
        return one_run(both, shared)
    word = "near" if check.near else "below" if check.below else "above"
    direction = (("", DIRECTION_ONLY),) if check.sized and not comparable else ()
    high, low = (other, one) if check.below else (one, other)
    status, relation = _relate(check, high, low, sized=comparable)
    return CheckResult(
        status=status,
        text=f"{described(one)} {word} {described(other)}{relation}",
        scale=evidence.scale if runs_of(both) else FULL_SIZE,
        runs=runs_of(both),
        notes=notes_of(both) + direction,
    )


def one_run(operands: Iterable[Operand], runs: frozenset[str]) -> CheckResult:
    """Return that systems cannot be compared because a scale makes them one run."""
    names = dict.fromkeys(operand.name for operand in operands if operand.name)
    text = f"at this scale one run stands for several of {', '.join(names)}"
    return CheckResult(status="not-measured", text=f"{text}: {', '.join(sorted(runs))}")


def unequal(operands: Iterable[Operand], budgets: Mapping[str, int]) -> CheckResult | None:
    """Return that systems cannot be compared if a scale trains one on many more tokens."""
    cells = [operand for operand in operands if operand.measure and not operand.missing]
    tokens = sorted(budgets[run] for run in runs_of(cells) if run in budgets)
    even = not tokens or tokens[-1] <= UNEQUAL * tokens[0]
    if even or all(operand.comparable for operand in cells):
        return None
    text = f"{described(cells)}: at this scale one is trained on {tokens[0]:,} target tokens,"
    return CheckResult(status="not-measured", text=f"{text} another on {tokens[-1]:,}")


def _relate(
    check: Check, high: Sequence[Operand], low: Sequence[Operand], *, sized: bool
) -> tuple[Status, str]:
    """Return the difference in words; if a side diverged, that decides what is about training."""
    lost = [any(operand.diverged for operand in side) for side in (high, low)]
    if not any(lost):
        if learned_nothing(high) and learned_nothing(low):
            return "undecided", f" (both below {UNLEARNED:g}: neither learned anything)"
        status, found = _measure(check, mean(high), mean(low), sized=sized)
        return status, f" ({found})"
    if all(lost) or check.diverged != "worse":
        return "undecided", ""
    return ("fails" if lost[0] else "holds"), ""


def _measure(check: Check, high: Side, low: Side, *, sized: bool) -> tuple[Status, str]:
    """Return where the difference, or the ratio, lies in what is allowed."""
    value, noise = high.number - low.number, noise_of_difference(high, low)
    found, wanted = f"difference {value:.3g} ± {noise:.2g}", ""
    least, most, within = POSITIVE, math.inf, check.within or 0.0
    if check.near:
        least, most, wanted = -within, within, f"within {within:g}"
    elif sized and check.by is not None:
        least, most = max(POSITIVE, check.by - within), check.by + within
        wanted = f"{check.by:g} ± {within:g}"
    elif sized and check.by_at_least is not None:
        least, wanted = check.by_at_least, f"at least {check.by_at_least:g}"
    elif sized and (times := check.times or check.times_at_least):
        value, noise = high.number / low.number, noise_of_ratio(high, low)
        found = f"ratio {value:.3g} ± {noise:.2g}"
        least, most = times - within, times + within if check.times else math.inf
        wanted = f"{times:g} ± {within:g}" if check.times else f"at least {times:g}"
    return decide(value, noise, least, most), f"{found}, {wanted} wanted" if wanted else found


def decide(value: float, noise: float, least: float, most: float) -> Status:
    """Decide whether a value that may be off by the noise lies in an interval."""
    if least <= value - noise and value + noise <= most:
        return "holds"
    return "fails" if value + noise < least or most < value - noise else "undecided"


def noise_of_difference(one: Side, other: Side) -> float:
    """Return twice the standard error of the difference of two sides."""
    return 2 * math.hypot(*one.errors.values(), *other.errors.values())


def noise_of_ratio(one: Side, other: Side) -> float:
    """Return twice the standard error of one side over the other, to first order."""
    relative = [error / side.number for side in (one, other) for error in side.errors.values()]
    return abs(2 * math.hypot(*relative) * one.number / other.number)
