"""Compare the two sides of a check: their difference, and its 95 % interval."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from deepmt.judge.contrast import unequal
from deepmt.judge.evidence import Evidence, Notes, Operand
from deepmt.judge.interval import Error, Judged, half_width
from deepmt.judge.lead_at_end import still_moving
from deepmt.judge.run_outcome import RunOutcome
from deepmt.study.paper_claims import Check

Status = Literal[
    "fails", "differs-on-this-machine", "not-measured", "undecided", "holds-in-part", "holds"
]  # fmt: skip
FULL_SIZE = "full size"
"""Scale of values that need no training and are measured at the paper's own size."""
DIRECTION_ONLY = "direction only: sizes are compared at the paper's scale only"
MOVING = "still moving: the lead on dev would end if its last third of training were repeated"
POSITIVE = math.ulp(0.0)
"""The smallest number above 0."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """Hold one side of a comparison: a value, or the mean of several."""

    number: float
    errors: Mapping[str, Error]
    """Contribution of each run to the standard error; errors of one run are correlated."""


@dataclass(frozen=True, kw_only=True)
class SidesCompared:
    """Hold the two sides of a check, and the difference between them."""

    one: Sequence[Operand]
    word: str
    """What the claim says: "above", "below" or "near"."""
    other: Sequence[Operand]
    why: str
    """The difference with its interval, and what was expected; "" if none decides."""

    def __str__(self) -> str:
        """Return it as a sentence."""
        why = f" ({self.why})" * bool(self.why)
        return f"{describe(self.one)} {self.word} {describe(self.other)}{why}"


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """Hold the result of one check."""

    status: Status
    text: str = ""
    compared: SidesCompared | None = None
    """What the text says, if it is a comparison."""
    missing: tuple[tuple[str, str], ...] = ()
    """Missing cells with the reasons, in place of a text."""
    scale: str = ""
    """Scale of the measurements; empty if there are none."""
    runs: frozenset[str] = frozenset()
    notes: Notes = ()


def runs_of(operands: Iterable[Operand]) -> frozenset[str]:
    """Return the runs behind the operands."""
    return frozenset(run for operand in operands for run in operand.runs)


def mean(operands: Sequence[Operand]) -> Side:
    """Return the mean; no operand may be missing."""
    errors: dict[str, Error] = {}
    for operand in operands:
        run, error = ", ".join(operand.runs) or operand.name, operand.error
        before = errors[run].size if run in errors else 0.0
        errors[run] = replace(error, size=before + error.size / len(operands))
    total = math.fsum(operand.number or 0.0 for operand in operands)
    return Side(number=total / len(operands), errors=errors)


def describe(operands: Sequence[Operand]) -> str:
    """Describe the operands, with values, spreads and seeds."""
    texts = ", ".join(operand.text for operand in operands)
    return texts if len(operands) == 1 else f"{of_mean(operands)} ({texts})".strip()


def of_mean(operands: Sequence[Operand]) -> str:
    """Return e.g. "the mean 0.6183 of"; "" for one operand, and where one has no number."""
    if len(operands) == 1 or any(operand.number is None for operand in operands):
        return ""
    return f"the mean {mean(operands).number:.4g} of"


def outcome_of(operands: Sequence[Operand]) -> RunOutcome:
    """Return trained if all did, failed if one failed, and else undecided."""
    found = {operand.outcome for operand in operands}
    return "failed" if "failed" in found else "undecided" if "undecided" in found else "trained"


def compare(check: Check, evidence: Evidence) -> CheckResult:
    """Compare one side with the other; no cell may be missing."""
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
    status, why = _relate(check, high, low, sized=comparable)
    compared = SidesCompared(one=one, word=word, other=other, why=why)
    text = str(compared)
    if status in ("holds", "fails") and moving(high, low, evidence):
        status, text = "undecided", f"{text}; {MOVING}"
        compared = replace(compared, why="; ".join(filter(None, (why, MOVING))))
    if status == "fails" and any(operand.timed for operand in both):
        status = "differs-on-this-machine"
    return CheckResult(
        status="holds-in-part" if status == "holds" and direction else status,
        text=text,
        compared=compared,
        scale=evidence.scale if runs_of(both) else FULL_SIZE,
        runs=runs_of(both),
        notes=(*(note for operand in both for note in operand.notes), *direction),
    )


def moving(high: Sequence[Operand], low: Sequence[Operand], evidence: Evidence) -> bool:
    """Check if a lead in quality was still changing when training ended."""
    if not all(operand.quality for operand in (*high, *low)):
        return False
    one, other = (
        [seed for run in runs_of(side) for seed in evidence.dev.get(run, {}).values()]
        for side in (high, low)
    )
    return still_moving(one, other, evidence.pooled_dev)


def same_run(operands: Iterable[Operand], runs: frozenset[str]) -> CheckResult:
    """Return the result for systems that are one run at this scale, so cannot be compared."""
    names = dict.fromkeys(operand.name for operand in operands if operand.name)
    text = f"at this scale several of {', '.join(names)} are the same run"
    return CheckResult(status="not-measured", text=f"{text}: {', '.join(sorted(runs))}")


def of_unequal_budgets(
    operands: Iterable[Operand], budgets: Mapping[str, int]
) -> CheckResult | None:
    """Return a result if this scale trains one system on many more tokens; else None."""
    cells = [operand for operand in operands if operand.measure and not operand.missing]
    tokens = sorted(budgets[run] for run in runs_of(cells) if run in budgets)
    if not unequal(tokens) or all(operand.comparable for operand in cells):
        return None
    text = f"{describe(cells)}: at this scale one is trained on {tokens[0]:,} target tokens,"
    return CheckResult(status="not-measured", text=f"{text} another on {tokens[-1]:,}")


def _relate(
    check: Check, high: Sequence[Operand], low: Sequence[Operand], *, sized: bool
) -> tuple[Status, str]:
    """Return status and difference; a side that failed decides only checks about training."""
    outcomes = outcome_of(high), outcome_of(low)
    if outcomes == ("trained", "trained"):
        found = measure_sides(check, mean(high), mean(low), sized=sized)
        return found.verdict, found.why
    decided: dict[tuple[RunOutcome, RunOutcome], Status] = {
        ("trained", "failed"): "holds",
        ("failed", "trained"): "fails",
    }
    return decided.get(outcomes, "undecided") if check.diverged else "undecided", ""


def measure_sides(check: Check, high: Side, low: Side, *, sized: bool) -> Judged[Status]:
    """Judge the difference or ratio by the interval that the check allows."""
    value = high.number - low.number
    noise = half_width([*high.errors.values(), *low.errors.values()])
    found, expected = f"difference {with_interval(value, noise)}", ""
    least, most, within = POSITIVE, math.inf, check.within or 0.0
    if check.near:
        least, most, expected = -within, within, f"within {within:g}"
    elif sized and check.by is not None:
        least, most = max(POSITIVE, check.by - within), check.by + within
        expected = f"{check.by - within:g} to {check.by + within:g}"
    elif sized and check.by_at_least is not None:
        least, expected = check.by_at_least, f"at least {check.by_at_least:g}"
    elif sized and (times := check.times or check.times_at_least):
        value, noise = high.number / low.number, noise_of_ratio(high, low)
        found = f"ratio {with_interval(value, noise)}"
        least, most = times - within, times + within if check.times else math.inf
        expected = f"{least:g} to {most:g}" if check.times else f"at least {times:g}"
    why = f"{found}, expected {expected}" if expected else found
    verdict = holds_between(value, noise, least, most)
    return Judged(value=value, half=noise, verdict=verdict, why=why)


def with_interval(value: float, half: float) -> str:
    """Return a value and its 95 % interval, or that no spread is known."""
    if not math.isfinite(half):
        return f"{value:.3g}, of unknown spread"
    if not half:
        return f"{value:.3g}"
    decimals = max(0, 1 - math.floor(math.log10(half)))
    return f"{value:.{decimals}f} ({value - half:.{decimals}f} to {value + half:.{decimals}f})"


def holds_between(value: float, half: float, least: float, most: float) -> Status:
    """Return if a value lies between two limits by its interval: holds, fails or undecided."""
    if least <= value - half and value + half <= most:
        return "holds"
    return "fails" if value + half < least or most < value - half else "undecided"


def noise_of_ratio(one: Side, other: Side) -> float:
    """Return half of the 95 % interval of the ratio of two sides, to first order."""
    relative = [
        replace(error, size=error.size / side.number)
        for side in (one, other)
        for error in side.errors.values()
    ]
    return abs(half_width(relative) * one.number / other.number)
